"""Fixes are made together where they can be, until none is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepperf.fixes.apply import (
    apply_edits,
    compatible,
    edits_between,
    fix_text,
    imports_first,
)
from deepperf.records import Edit, Finding, Fix, Level, Location, Role, Safety


def finding(*edits: Edit, safety: Safety = Safety.SAFE, line: int = 1) -> Finding:
    fix = Fix("mend", edits, safety)
    place = Location("x.py", line, 1, line, 2)
    return Finding(place, "r", "m", "", Level.WARNING, Role.SOURCE, f"line {line}", fix=fix)


def renaming(text: str) -> list[Finding]:
    """Offers to rename each `old` to `new`."""
    found: list[Finding] = []
    start = text.find("old")
    while start >= 0:
        found.append(finding(Edit(start, start + 3, "new"), line=len(found) + 1))
        start = text.find("old", start + 1)
    return found


def test_edits_are_made_in_the_order_of_the_text() -> None:
    assert apply_edits("abc", [Edit(2, 3, "C"), Edit(0, 1, "A"), Edit(1, 1, "-")]) == "A-bC"


def test_an_import_goes_before_what_is_inserted_at_the_same_place() -> None:
    decorator, imported = Edit(0, 0, "@torch.no_grad()\n"), Edit(0, 0, "import torch\n\n\n")

    assert (
        apply_edits("def f(): ...", [decorator, imported])
        == "import torch\n\n\n@torch.no_grad()\ndef f(): ..."
    )
    assert imports_first([decorator, imported]) == (imported, decorator)


@pytest.mark.parametrize("edits", [[Edit(0, 2, ""), Edit(1, 3, "x")], [Edit(2, 9, "")]])
def test_edits_that_overlap_or_lie_outside_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlaps another or lies outside"):
        apply_edits("abc", edits)


def test_of_fixes_that_conflict_the_first_is_made() -> None:
    first = Fix("a", (Edit(0, 3, "x"),), Safety.SAFE)
    second = Fix("b", (Edit(2, 5, "y"),), Safety.SAFE)
    third = Fix("c", (Edit(7, 8, "z"),), Safety.SAFE)

    assert compatible([first, second, third]) == (first, third)


def test_fixes_that_share_an_edit_go_together() -> None:
    shared = Edit(0, 0, "import tensorflow as tf\n")
    first = Fix("a", (shared, Edit(30, 31, "x")), Safety.SAFE)
    second = Fix("b", (shared, Edit(40, 41, "y")), Safety.SAFE)

    assert compatible([first, second]) == (first, second)


def test_everything_is_fixed_in_the_end() -> None:
    fixed = fix_text("old + old(old)\n", renaming)

    assert fixed.text == "new + new(new)\n"
    assert len(fixed.mended) == 3
    assert fixed.dropped == ()


def test_unsafe_fixes_are_made_only_when_asked_for() -> None:
    def check(text: str) -> list[Finding]:
        return [finding(Edit(0, 1, "y"), safety=Safety.UNSAFE)] if text == "x" else []

    assert fix_text("x", check).text == "x"
    assert fix_text("x", check, Safety.UNSAFE).text == "y"


def test_a_fix_that_breaks_the_code_is_left_out_and_the_others_are_made() -> None:
    def check(text: str) -> list[Finding]:
        breaking = finding(Edit(0, 1, "("), line=9)
        return [breaking, *renaming(text)]

    fixed = fix_text("a = old\n", check)

    assert fixed.text == "a = new\n"
    assert [dropped.location.line for dropped in fixed.dropped] == [9]


def test_code_that_did_not_parse_before_need_not_parse_after() -> None:
    assert fix_text("print old\n", renaming).text == "print new\n"


def test_fixes_that_undo_each_other_end() -> None:
    def check(text: str) -> list[Finding]:
        return [finding(Edit(0, 1, "b" if text[0] == "a" else "a"))]

    assert fix_text("a = 1\n", check).text in ("a = 1\n", "b = 1\n")


@given(st.text(alphabet="old +(\n#'", max_size=30))
def test_fixing_again_changes_nothing_more(text: str) -> None:
    once = fix_text(text, renaming).text

    assert fix_text(once, renaming).text == once


@given(st.text(alphabet="ab\n\r", max_size=40), st.text(alphabet="ab\n\r", max_size=40))
def test_edits_between_two_texts_lead_from_one_to_the_other(before: str, after: str) -> None:
    assert apply_edits(before, edits_between(before, after)) == after
