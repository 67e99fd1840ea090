"""What kind of number Python computes, and what it is bound to meanwhile."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import function, loops

from deepperf.semantics.query import Kind, Number, number_of

CLASS = """\
import math
import random

def by_pieces(step):
    if step < 10:
        return unknown(step)
    return 0.5 * step

class Kept:
    def __init__(self, rate=0.1):
        self.rate = rate

    def found(self, step, given):
        for at in reversed(range(5)):
            return {}
"""


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("at", Number.INTEGER),
        ("at * 2", Number.INTEGER),
        ("at / 2", Number.FLOAT),
        ("0.1 * given", Number.FLOAT),
        ("math.cos(given)", Number.FLOAT),
        ("math.floor(given)", Number.INTEGER),
        ("min(1.0, at / 2)", Number.FLOAT),
        ("max(1, at)", Number.INTEGER),
        ("max(1.0, given)", Number.UNKNOWN),
        ("by_pieces(at)", Number.FLOAT),
        ("self.rate", Number.FLOAT),
        ("given", Number.UNKNOWN),
        ("unknown(at)", Number.UNKNOWN),
    ],
)
def test_the_kind_of_a_number_follows_from_what_it_is_made_of(written: str, kind: Number) -> None:
    (returned,) = function(CLASS.format(written), "found").values(Kind.RETURN)
    assert number_of(returned.operands[0]) is kind


def test_a_name_is_bound_by_all_that_declare_it_as_theirs() -> None:
    text = """\
    rate = 0.1

    def lowered():
        global rate
        rate = 0.05

    def unrelated():
        rate = 7

    def read():
        return rate
    """
    (name,) = function(text, "read").values(Kind.NAME)
    assert [one.text for one in name.bound] == ["0.1", "0.05"]


def test_an_attribute_is_stored_by_its_methods_and_from_outside() -> None:
    text = """\
    class Net:
        def __init__(self):
            self.beta = 0.0

        def read(self):
            return self.beta

    class Other:
        def __init__(self):
            self.beta = 7

    net = Net()
    net.beta = 1.0
    """
    (read,) = function(text, "read").values(Kind.ATTRIBUTE)
    stored = read.operands[0].stores("beta")
    assert sorted(one.operands[1].text for one in stored) == ["0.0", "1.0"]


def test_a_graph_keeps_the_loops_over_tensors() -> None:
    text = """\
    import tensorflow as tf

    @tf.function
    def run(x, count):
        for _ in tf.range(9): pass
        for _ in range(9): pass
        for row in x: pass
        while count > 0: count = count - 1
        while len([1]) > 3: pass

    def eager():
        for _ in tf.range(9): pass
    """
    assert [loop.is_kept_in_graph for loop in loops(text)] == [
        True,
        False,
        True,
        True,
        False,
        False,
    ]
