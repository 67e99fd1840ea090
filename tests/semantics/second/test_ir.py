"""The table of a file: which definitions reach a use, and in which blocks operations stand."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls, file, function, loops, probed, reaching

from deepperf.semantics.ir.table import Block, Kind

INSIDE = "def f(c, xs):\n"


def reached(body: str) -> set[object]:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    (value,) = probed(INSIDE + lines)
    return reaching(value)


@pytest.mark.parametrize(
    ("body", "definitions"),
    [
        pytest.param("x = 1\nx = 2\nprobe(x)", {2}, id="the last assignment"),
        pytest.param("x = 1\nif c:\n  x = 2\nprobe(x)", {1, 2}, id="if"),
        pytest.param("if c:\n  x = 1\nelse:\n  x = 2\nprobe(x)", {1, 2}, id="else"),
        pytest.param(
            "if c:\n  x = 1\nelif xs:\n  x = 2\nelse:\n  x = 3\nprobe(x)", {1, 2, 3}, id="elif"
        ),
        pytest.param("x = 1\nif c:\n  x = 2\n  return\nprobe(x)", {1}, id="a branch that returns"),
        pytest.param("if c:\n  x = 1\nprobe(x)", {1, "unbound"}, id="perhaps no value"),
        pytest.param("x = 1\nfor y in xs:\n  x = 2\nprobe(x)", {1, 2}, id="for"),
        pytest.param("x = 1\nfor y in xs:\n  probe(x)\n  x = 2", {1, 2}, id="for, inside"),
        pytest.param(
            "x = 1\nfor y in xs:\n  if c:\n    x = 2\n    break\n  x = 3\nprobe(x)",
            {1, 2, 3},
            id="break",
        ),
        pytest.param(
            "x = 1\nfor y in xs:\n  if c:\n    x = 2\n    continue\n  probe(x)",
            {1, 2},
            id="continue",
        ),
        pytest.param(
            "x = 1\nfor y in xs:\n  x = 2\n  break\nelse:\n  x = 3\nprobe(x)",
            {2, 3},
            id="for-else",
        ),
        pytest.param("x = 1\nwhile c:\n  x = 2\nprobe(x)", {1, 2}, id="while"),
        pytest.param(
            "x = 1\nwhile True:\n  x = 2\n  if c:\n    break\nprobe(x)", {2}, id="while True"
        ),
        pytest.param("x = 1\nwhile (x := 2):\n  pass\nprobe(x)", {2}, id="walrus in a condition"),
        pytest.param("x = 1\ntry:\n  x = 2\nexcept E:\n  pass\nprobe(x)", {1, 2}, id="try"),
        pytest.param(
            "try:\n  x = 1\nexcept E:\n  x = 2\nelse:\n  x = 3\nprobe(x)", {2, 3}, id="try-else"
        ),
        pytest.param(
            "x = 1\ntry:\n  x = 2\nexcept E:\n  raise\nprobe(x)", {2}, id="a handler that raises"
        ),
        pytest.param("x = 1\ntry:\n  pass\nfinally:\n  x = 2\nprobe(x)", {2}, id="finally"),
        pytest.param("with c as x:\n  x = 1\nprobe(x)", {1}, id="with"),
        pytest.param("x = 1\n[x for x in xs]\nprobe(x)", {1}, id="a comprehension's own variable"),
        pytest.param("x = 1\n[(x := 2) for y in xs]\nprobe(x)", {1, 2}, id="walrus in one"),
        pytest.param("x, y = 1, 2\nx, y = y, x\nprobe(x)", {2}, id="swap"),
        pytest.param("x = 1\ndel x\nprobe(x)", {"unbound"}, id="del"),
        pytest.param("x = y = 1\nprobe(x)", {1}, id="chain"),
        pytest.param("x: int = 1\nprobe(x)", {1}, id="annotation"),
    ],
)
def test_the_definitions_that_reach_a_use(body: str, definitions: set[object]) -> None:
    assert reached(body) == definitions


def test_each_case_of_a_match_may_be_the_one() -> None:
    body = "x = 1\nmatch c:\n  case 1:\n    x = 2\n  case [y]:\n    x = 3\nprobe(x)"
    assert reached(body) == {1, 2, 3}


def test_what_stands_behind_a_return_is_left_out() -> None:
    assert calls("def f():\n    return 1\n    late()\n", "late") == []


def test_loops_and_comprehensions_are_regions() -> None:
    text = "for x in xs:\n    while x:\n        [y for y in x if y]\n"
    assert [loop.unit.regions[loop.region].block for loop in loops(text)] == [
        Block.FOR,
        Block.WHILE,
        Block.COMPREHENSION,
    ]


def test_what_a_loop_goes_over_is_made_before_it() -> None:
    (call,) = calls("for x in made():\n    pass\n", "made")
    assert call.loops == ()


def test_the_first_iterable_of_a_comprehension_is_made_before_it_and_the_second_in_it() -> None:
    text = "[y for x in first() for y in second(x)]\n"
    assert [len(calls(text, name)[0].loops) for name in ("first", "second")] == [0, 1]


def test_behind_branches_that_leave_their_conditions_are_known_to_fail() -> None:
    text = "def f(c):\n    if c:\n        return\n    late()\n"
    (call,) = calls(text, "late")
    assert call.unit.regions[call.op.region].block is Block.ELSE


def test_the_blocks_of_with_around_a_call_are_its_contexts() -> None:
    text = "with outer() as o, inner():\n    work()\nwork()\n"
    inside, outside = calls(text, "work")
    assert [value.text for value in inside.contexts] == ["inner()", "outer()"]
    assert outside.contexts == ()


@pytest.mark.parametrize(
    "statement",
    [
        "async for x in made():\n        pass",
        "async with made() as x:\n        pass",
        "[x async for x in made()]",
        "await made()",
    ],
)
def test_what_async_statements_go_over_or_enter_is_awaited(statement: str) -> None:
    for text, is_awaited in ((statement, True), (statement.replace("async ", ""), False)):
        (call,) = calls(f"async def f():\n    {text}\n", "made")
        kinds = {user.kind for user in call.result.users}
        assert (Kind.AWAIT in kinds) is (is_awaited or "await" in text), text


def test_parameters_are_told_with_how_they_are_passed() -> None:
    found = function("def f(a, /, b, *c, d=1, **e):\n    pass\n", "f")
    assert [tuple(one) for one in found.unit.parameters] == [
        ("a", ""),
        ("b", ""),
        ("c", "*"),
        ("d", "keyword"),
        ("e", "**"),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("lambda: probe(x)", Kind.NAME),
        ("def f():\n    global x\n    x = 1\n    probe(x)", Kind.NAME),
        ("def f(x):\n    def g():\n        probe(x)", Kind.NAME),
        ("class C:\n    x = 1\n    probe(x)", Kind.CONSTANT),
        ("def f(x):\n    probe(x)", Kind.PARAMETER),
        ("async def f(xs):\n    async for x in xs:\n        probe(x)", Kind.ELEMENT),
    ],
)
def test_a_name_is_a_definition_where_its_function_binds_it(text: str, kind: Kind) -> None:
    assert [value.kind for value in probed(text)] == [kind]


def test_text_that_does_not_parse_still_has_its_whole_functions() -> None:
    broken = "def f():\n    work()\n\n\ndef g(:\n    pass\n"
    assert "f" in {one.name for one in file(broken).functions()}
