"""A function of one sample takes a batch of them where only its subscripts tell the difference."""

from __future__ import annotations

import pytest

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.batches import lead_subscripts

PARSE = "def parse(row):\n    x = read(row)\n    return x[PART]\n\n\nrows.map(parse)\n"


def led(text: str) -> str | None:
    edits = lead_subscripts(text, 1)
    return None if edits is None else apply_edits(text, edits)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (":, None", ":, :, None"),
        ("2:5", ":, 2:5"),
        ("0, :", ":, 0, :"),
        ("..., 0", "..., 0"),
        ("'label'", "'label'"),
        ("NAME", "NAME"),
    ],
)
def test_a_subscript_leaves_the_first_axis_as_it_is(part: str, expected: str) -> None:
    assert led(PARSE.replace("PART", part)) == PARSE.replace("PART", expected)


@pytest.mark.parametrize(
    "text", [PARSE.replace("PART", "0"), PARSE.replace("PART", "n + 1"), PARSE + "parse(one)\n"]
)
def test_an_index_that_may_be_a_samples_and_a_function_with_other_uses_stay(text: str) -> None:
    assert led(text) is None
