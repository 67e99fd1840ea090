"""Which calls made a value, and who runs an object that is called, over functions."""

from __future__ import annotations

from tests.semantics.second.written import calls, function, loops

PASSED = """\
from torch.utils.data import DataLoader

class Collate:
    def __call__(self, rows):
        return look(rows)

class Trainer:
    def __init__(self, loader):
        self.loader = loader

    def run(self):
        for batch in self.loader:
            look(batch)

def main(data):
    loader = DataLoader(data, collate_fn=Collate())
    Trainer(loader).run()
"""


def test_a_loader_is_followed_over_a_parameter_and_an_attribute_to_the_call_that_made_it() -> None:
    (loop,) = loops(PASSED)
    assert [call.name for call in loop.iterable.makers] == ["DataLoader"]


def test_a_value_that_nobody_is_seen_to_make_has_no_makers() -> None:
    (loop,) = loops("def f(loader):\n    for batch in loader:\n        look(batch)\n")
    assert loop.iterable.makers == ()


def test_an_object_that_is_handed_on_is_run_by_the_call_that_gets_it() -> None:
    callers = function(PASSED, "__call__").callers()
    assert [call.name for call in callers] == ["DataLoader"]
    assert callers[0] == calls(PASSED, "DataLoader")[0]
