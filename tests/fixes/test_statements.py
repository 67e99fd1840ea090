"""Statements are deleted with their lines, or left alone."""

from __future__ import annotations

import pytest

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.arguments import remove_keyword
from deepperf.fixes.statements import delete_statement


def without(text: str, part: str) -> str | None:
    start = text.index(part)
    edit = delete_statement(text, start, start + len(part))
    return None if edit is None else apply_edits(text, (edit,))


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("a()\nb()\nc()\n", "b()", "a()\nc()\n"),
        ("if x:\n    a()\n    b()\n", "b()", "if x:\n    a()\n"),
        ("a()\nd['k'] = 1\n", "d['k']", "a()\n"),
        ("a()\nb(\n  1,\n)\n", "b(\n  1,\n)", "a()\n"),
    ],
)
def test_a_statement_goes_with_its_lines(text: str, part: str, expected: str) -> None:
    assert without(text, part) == expected


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("if x:\n    b()\n", "b()"),
        ("a(); b()\n", "b()"),
        ("a()\nb()  # why\n", "b()"),
        ("a()\nx = b()\n", "b()"),
        ("with b():\n    a()\n    c()\n", "b()"),
    ],
)
def test_what_cannot_go_alone_stays(text: str, part: str) -> None:
    assert without(text, part) is None


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(n=1)", "f()"),
        ("f(a, n=1)", "f(a)"),
        ("f(n=1, b=2)", "f(b=2)"),
        ("f(a, n=1, b=2)", "f(a, b=2)"),
        ("f(\n    a,\n    n=1,\n    b=2,\n)", "f(\n    a,\n    b=2,\n)"),
        ("f(\n    a,\n    n=1,\n)", "f(\n    a,\n)"),
        ("f(a, n=1,)", "f(a,)"),
    ],
)
def test_a_keyword_goes_with_its_comma(call: str, expected: str) -> None:
    edit = remove_keyword(call, 0, len(call), "n")
    assert edit is not None
    assert apply_edits(call, (edit,)) == expected


def test_a_keyword_beside_a_comment_stays() -> None:
    call = "f(\n    a,  # why\n    n=1,\n)"
    assert remove_keyword(call, 0, len(call), "n") is None
