"""Arguments are added, replaced and removed in the style of the call."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.arguments import (
    add_keyword,
    argument_text,
    call_object,
    pass_to,
    replace_argument,
)
from deepperf.records import Edit


def changed(text: str, edit: Edit | None) -> str | None:
    return None if edit is None else apply_edits(text, (edit,))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f()", "f(n=4)"),
        ("f(a)", "f(a, n=4)"),
        ("f(a,)", "f(a, n=4)"),
        ("f((a))", "f((a), n=4)"),
        ("f(lambda x, y: (x, y))", "f(lambda x, y: (x, y), n=4)"),
        ("f(a, *b, **c)", "f(a, *b, **c, n=4)"),
        ("g(1).f(a)", "g(1).f(a, n=4)"),
        ("f(\n    a,\n    b,\n)", "f(\n    a,\n    b,\n    n=4,\n)"),
        ("f(\n    a,\n    b\n)", "f(\n    a,\n    b,\n    n=4\n)"),
        ("f(\n    a,  # first\n)", "f(\n    a,  # first\n    n=4,\n)"),
        ("f(\n    a  # first\n)", "f(\n    a,  # first\n    n=4\n)"),
        ("f(\n    a, b\n)", "f(\n    a, b, n=4\n)"),
        ("f(a,\n  b)", "f(a,\n  b,\n  n=4)"),
        ("f(\r\n    a,\r\n)", "f(\r\n    a,\r\n    n=4,\r\n)"),
        ("f('é', 'ü')", "f('é', 'ü', n=4)"),
        ("f(a  # why\n  )", "f(a, n=4  # why\n  )"),
        ("f(  # why\n)", "f(n=4  # why\n)"),
    ],
)
def test_a_keyword_is_added_in_the_style_of_the_call(call: str, expected: str) -> None:
    assert changed(call, add_keyword(call, 0, len(call), "n", "4")) == expected


@pytest.mark.parametrize("call", ["f(n=1)", "f(x for x in y)", "f", "f(a) + 1", "f(a", "print a"])
def test_what_cannot_take_the_keyword_is_left(call: str) -> None:
    assert add_keyword(call, 0, len(call), "n", "4") is None


def test_the_call_may_stand_anywhere_in_a_text() -> None:
    text = "x = 'é'; data = data.map(f).batch(8)\n"
    start = text.index("data.map")
    edit = add_keyword(text, start, text.index(".batch"), "n", "4")

    assert changed(text, edit) == "x = 'é'; data = data.map(f, n=4).batch(8)\n"


def test_a_value_is_replaced_by_keyword_or_position() -> None:
    call = "f(a, (b), n=c)"

    assert changed(call, replace_argument(call, 0, len(call), "n", "4")) == "f(a, (b), n=4)"
    assert changed(call, replace_argument(call, 0, len(call), 1, "4")) == "f(a, (4), n=c)"
    assert replace_argument(call, 0, len(call), 2, "4") is None
    assert replace_argument("f(*a, b)", 0, 8, 1, "4") is None


def test_an_argument_is_read_as_it_is_written() -> None:
    call = "f(a.b, n = c + 1)"

    assert argument_text(call, 0, len(call), 0) == "a.b"
    assert argument_text(call, 0, len(call), "n") == "c + 1"
    assert argument_text(call, 0, len(call), 1) is None


ARGUMENTS = st.lists(
    st.sampled_from(["a", "(b)", "[c, d]", "lambda x, y: x", "'s, t'", "f(1, 2)", "é", "(yield)"]),
    max_size=4,
)
GAPS = st.sampled_from(["", " ", "\n    ", "  # note\n    ", "\r\n  "])


@given(ARGUMENTS, st.lists(GAPS, min_size=12, max_size=12), st.sampled_from(["", ","]))
def test_adding_changes_nothing_but_the_keyword(
    arguments: list[str], gaps: list[str], trailing: str
) -> None:
    parts = [f"{gaps[i]}{argument}{gaps[i + 4]}" for i, argument in enumerate(arguments)]
    call = f"f({','.join(parts)}{trailing if parts else ''}{gaps[11]})"
    edit = add_keyword(call, 0, len(call), "n", "4")

    assert edit is not None
    before = ast.parse(call, mode="eval").body
    after = ast.parse(apply_edits(call, (edit,)), mode="eval").body
    assert isinstance(before, ast.Call)
    assert isinstance(after, ast.Call)
    added = after.keywords.pop()
    assert (added.arg, ast.unparse(added.value)) == ("n", "4")
    assert ast.dump(before) == ast.dump(after)


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("model.predict(x)", "model(x)"),
        ("self.models['a'] . predict (x)", "self.models['a'] (x)"),
        ("größe.predict(x)", "größe(x)"),
    ],
)
def test_an_object_is_called_instead_of_its_method(call: str, after: str) -> None:
    edit = call_object(call, 0, len(call))
    assert edit is not None
    assert apply_edits(call, (edit,)) == after


def test_a_function_is_no_method() -> None:
    assert call_object("predict(x)", 0, 10) is None


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("f(x, n=1)", "run(f, x, n=1)"),
        ("a.b()", "run(a.b)"),
        ("f(\n    x,  # first\n)", "run(f, \n    x,  # first\n)"),
    ],
)
def test_a_call_is_handed_to_a_function(call: str, after: str) -> None:
    edits = pass_to(call, 0, len(call), "run")
    assert edits is not None
    assert apply_edits(call, edits) == after
