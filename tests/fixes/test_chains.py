"""Methods of a chain change places only where nothing else reads what lies between them."""

from __future__ import annotations

import pytest

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.chains import move_before, move_behind

ONE = "rows = read().map(scale).shuffle(9).batch(8)\n"
STEPS = """\
def rows():
    data = read()
    data = data.map(scale)
    data = data.shuffle(9).batch(8)
    return data
"""
LINES = """\
rows = (
    read()
    .map(scale)
    .batch(8)
)
"""


def _span(text: str, end: str, start: str) -> tuple[int, int]:
    first = text.index(start)
    return first, text.index(end) + len(end)


def _behind(text: str, start: str = "read()", later: str | None = None) -> str | None:
    begin = text.index(".map") - len(start)
    one = begin, text.index(".map(scale)") + len(".map(scale)")
    first = text.index(later) if later else text.index(start)
    edits = move_behind(text, one, (first, text.index(".batch(8)") + len(".batch(8)")))
    return None if edits is None else apply_edits(text, edits)


def test_a_method_of_one_expression_moves_behind() -> None:
    assert _behind(ONE) == "rows = read().shuffle(9).batch(8).map(scale)\n"


def test_a_line_of_a_chain_moves_as_a_line() -> None:
    start = "read()\n    "
    text = LINES
    one = text.index("read"), text.index(".map(scale)") + len(".map(scale)")
    other = text.index("read"), text.index(".batch(8)") + len(".batch(8)")
    edits = move_behind(text, one, other)
    assert edits is not None, start
    assert apply_edits(text, edits) == LINES.replace(
        "    .map(scale)\n    .batch(8)", "    .batch(8)\n    .map(scale)"
    )


def test_methods_of_two_statements_are_exchanged() -> None:
    assert _behind(STEPS, "data", "data.shuffle") == (
        "def rows():\n    data = read()\n"
        "    data = data.shuffle(9).batch(8)\n    data = data.map(scale)\n    return data\n"
    )


def test_an_assignment_that_is_left_without_its_call_goes() -> None:
    lines = STEPS.replace("data.shuffle(9).batch(8)", "data.shuffle(\n        9\n    ).batch(8)")
    assert _behind(lines, "data", "data.shuffle") == (
        "def rows():\n    data = read()\n"
        "    data = data.shuffle(\n        9\n    ).batch(8).map(scale)\n    return data\n"
    )


def test_a_method_moves_before_one_of_an_earlier_statement() -> None:
    one = STEPS.index("data.map"), STEPS.index("map(scale)") + len("map(scale)")
    other = STEPS.index("data.shuffle"), STEPS.index("shuffle(9)") + len("shuffle(9)")
    edits = move_before(STEPS, other, one)
    assert edits is not None
    assert apply_edits(STEPS, edits) == (
        "def rows():\n    data = read()\n    data = data.shuffle(9).map(scale)\n"
        "    data = data.batch(8)\n    return data\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            STEPS.replace("    return", "    look(data)\n    return").replace(
                "data = data.shuffle", "rows = data.shuffle"
            ),
            id="read twice",
        ),
        pytest.param(
            "for _ in range(2):\n"
            + "".join(f"    {row}\n" for row in STEPS.splitlines()[1:3])
            + "    out = data.shuffle(9).batch(8)\n",
            id="in a loop",
        ),
        pytest.param(
            STEPS.replace("    data = data.map", "    if wanted:\n        data = data.map"),
            id="under a condition",
        ),
        pytest.param(STEPS.replace(".map(scale)", ".map(  # x\n    scale)"), id="with a comment"),
    ],
)
def test_what_may_be_read_elsewhere_stays(text: str) -> None:
    spot = text.index(".map")
    one = spot - len("data"), text.index(")", spot) + 1
    start = text.index("data.shuffle")
    other = start, text.index(".batch(8)") + len(".batch(8)")
    assert move_behind(text, one, other) is None
