"""How a value differs from iteration to iteration."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import loops, probed

from deepperf.semantics.query import Dependence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = load()\nfor x in xs:\n    probe(a)", Dependence.INVARIANT),
        ("for x in xs:\n    probe(a + 1)", Dependence.INVARIANT),
        ("for x in xs:\n    probe(x)", Dependence.VARYING),
        ("for i, x in enumerate(xs):\n    probe(i * 2)", Dependence.VARYING),
        ("for x in xs:\n    y = f(x)\n    probe([y])", Dependence.VARYING),
        ("a = 0\nfor x in xs:\n    probe(a)\n    a = a + 1", Dependence.VARYING),
        ("a = 0\nwhile a < n:\n    probe(a)\n    a += int(k / 2)", Dependence.VARYING),
        ("a = 0\nfor x in xs:\n    probe(a)\n    a += x", Dependence.CARRIED),
        ("a = b = 0\nwhile c:\n    probe(a)\n    a += b\n    b += a", Dependence.CARRIED),
        ("a = f()\nfor x in xs:\n    probe(a)\n    a = a + 1", Dependence.CARRIED),
        ("a = []\nfor x in xs:\n    a = a + [x]\n    probe(a)", Dependence.CARRIED),
        ("a = 0\nfor x in xs:\n    probe(a)\n    a = 1", Dependence.CARRIED),
        ("a = 0\nfor x in xs:\n    a = x\n    probe(a)", Dependence.VARYING),
        ("a = 0\nfor x in xs:\n    if c:\n        a = a\n    probe(a)", Dependence.INVARIANT),
        ("[probe(x) for x in xs]", Dependence.VARYING),
        ("while c:\n    probe(a)", Dependence.INVARIANT),
        ("async def f():\n    while c:\n        probe(await a)", Dependence.UNKNOWN),
    ],
)
def test_a_value_in_a_loop(text: str, expected: Dependence) -> None:
    (value,) = probed(text)
    (loop,) = (one for one in loops(text) if one.place[:2] == value.place[:2])
    assert value.dependence(loop) is expected


def test_the_element_of_an_outer_loop_does_not_vary_in_an_inner_one() -> None:
    text = "for x in xs:\n    for y in ys:\n        probe(x)"
    (value,) = probed(text)
    outer, inner = loops(text)
    assert value.dependence(outer) is Dependence.VARYING
    assert value.dependence(inner) is Dependence.INVARIANT


def test_what_an_inner_loop_adds_up_from_fresh_is_carried_in_it_alone() -> None:
    text = "for x in xs:\n    n = 0\n    for y in ys:\n        n = n + y\n    probe(n)"
    (value,) = probed(text)
    outer, _ = loops(text)
    assert value.dependence(outer) is Dependence.INVARIANT


def test_carried_variables_are_those_that_an_iteration_leaves_for_the_next() -> None:
    text = "a = b = 0\nfor x in xs:\n    a = a + x\n    b = b\n"
    (loop,) = loops(text)
    (carried,) = [value for value in loop.carried if not value.operands[0].is_missing]
    assert [operand.text for operand in carried.operands] == ["0", "a + x"]
