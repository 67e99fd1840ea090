"""What rules are told of a place: names and text as people wrote them."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls, file

from deepperf.knowledge.schema import Trait


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("work(1)", "work"),
        ("a.b.work(1)", "a.b.work"),
        ("def work(x):\n    return x\n\n\nwork(1)", "work"),
        ("work = lambda x: x\nwork (1)", "work"),
        ("from a import b as work\nwork(1)", "work"),
        ("def f(work):\n    work(1)", "work"),
    ],
)
def test_a_call_has_the_name_that_is_written(text: str, name: str) -> None:
    assert [call.name for call in file(text).calls()] == [name]


def test_a_call_of_what_a_call_gives_has_both_in_its_name() -> None:
    assert {call.name for call in file("make(1)(2)").calls()} == {"make", "make(1)"}


def test_arguments_are_found_by_name_and_position() -> None:
    (call,) = calls("work(1, b=2)", "work")
    found = [call.argument(name, place) for name, place in (("a", 0), ("b", 1), ("c", 2))]
    assert [value.constant if value else None for value in found] == [1, 2, None]


def test_what_is_unpacked_hides_the_arguments_behind_it() -> None:
    (call,) = calls("work(*these, 1)", "work")
    assert call.argument("b", 1) is None
    assert call.passes_unseen


@pytest.mark.parametrize("head", ["@classmethod\n    def make(cls)", "def __new__(cls)"])
def test_calling_the_class_that_a_method_gets_makes_a_model_and_runs_none(head: str) -> None:
    text = (
        f"import torch\nclass Net(torch.nn.Module):\n    {head}:\n        return cls()\n"
        "    def forward(self, x):\n        return self.again(x)\n"
        "    def again(self, x):\n        return self(x)\n"
    )
    assert not calls(text, "cls")[0].way_to(Trait.RUNS_MODULE)
    assert calls(text, "self")[0].way_to(Trait.RUNS_MODULE)


def test_an_array_of_numpy_is_known_by_the_method_that_only_gives_such() -> None:
    text = "import torch\ndef f(made):\n    made['a'].numpy()\n    made['a'].cpu()\n"
    found = [call.result.is_numpy for call in file(text).calls()]
    assert found == [True, False]


def test_a_model_that_comes_to_hold_itself_runs_what_it_was_made_of() -> None:
    text = """\
        from torch import nn


        class Layer(nn.Module):
            def forward(self, x):
                return x


        def build(n):
            net = nn.Sequential(Layer())
            for _ in range(n):
                net = nn.Sequential(net, *[net, Layer()])
            return net


        build(3)(1)
    """
    (call,) = (call for call in file(text).calls() if call.text == "build(3)(1)")
    assert [one.name for one in call.runs] == ["forward"]
