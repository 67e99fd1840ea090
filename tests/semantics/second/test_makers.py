"""Which calls made a value, and who runs an object that is called, over functions."""

from __future__ import annotations

from tests.semantics.second.written import calls, function, loops

from deepperf.knowledge.schema import ParameterRole, Trait

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


INHERITED = """\
import tqdm
from torch.utils.data import DataLoader, Dataset

class Base:
    def __init__(self, data: Dataset):
        self.loader = DataLoader(data)

class Run(Base):
    def epoch(self, is_first):
        for batch in tqdm.tqdm(self.loader) if is_first else self.loader:
            print(batch)
"""

SUBCLASSES = """\
from torch.utils.data import DataLoader, Dataset

class Plain(DataLoader):
    pass

class Named(Plain):
    def __init__(self, *args, title, **options):
        super().__init__(*args, **options)

class Fixed(DataLoader):
    def __init__(self, data):
        super().__init__(data, num_workers=4)

def run(data: Dataset):
    Plain(data, 32)
    Named(data, 32, title="a", num_workers=2)
    Fixed(data)
"""


def test_a_choice_has_the_makers_of_both_sides_and_an_attribute_those_of_bases() -> None:
    (loop,) = loops(INHERITED)
    assert sorted(call.name for call in loop.iterable.makers) == ["DataLoader", "tqdm.tqdm"]


def test_a_class_that_takes_over_a_constructor_is_made_as_the_library_s() -> None:
    (plain,), (named,), (fixed,) = (calls(SUBCLASSES, one) for one in ("Plain", "Named", "Fixed"))
    assert plain.has(Trait.LOADS_BATCHES)
    assert plain.in_role(ParameterRole.BATCH_SIZE) is not None
    assert named.in_role(ParameterRole.PARALLELISM) is not None
    assert not fixed.has(Trait.LOADS_BATCHES)


def test_a_constructor_that_passes_options_on_may_have_others_at_its_positions() -> None:
    (named,) = calls(SUBCLASSES, "Named")
    assert named.in_role(ParameterRole.BATCH_SIZE) is None
