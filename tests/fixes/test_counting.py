"""A loop that only counts becomes a question, or one over whole batches."""

from __future__ import annotations

import pytest

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.counting import count_in_batches, replace_counting

COUNTED = "def f():\n    n = 0\n    for _ in xs:\n        n += 1\n    return n\n"


def counted(text: str, start: str = "for") -> str | None:
    begin = text.index(start)
    end = text.index("n += 1") + 6 if start == "for" else text.index(")\n") + 1
    edits = replace_counting(text, begin, end, "len(xs)")
    return None if edits is None else apply_edits(text, edits)


def test_a_loop_that_counts_becomes_an_expression() -> None:
    assert counted(COUNTED) == "def f():\n    n = len(xs)\n    return n\n"


def test_a_sum_that_counts_becomes_an_expression() -> None:
    assert counted("n = sum(1 for _ in xs)\n", "sum") == "n = len(xs)\n"


@pytest.mark.parametrize(
    "text",
    [
        COUNTED.replace("n = 0", "n = 1"),
        COUNTED.replace("n = 0", "m = 0"),
        COUNTED.replace("n = 0\n", "n = 0  # so far\n"),
        COUNTED.replace("n += 1\n", "n += 1\n        go()\n"),
    ],
)
def test_a_loop_that_does_more_or_goes_on_counting_stays(text: str) -> None:
    assert counted(text) is None


READ = """\
def f(paths):
    rows = read(paths).map(parse, 4)
    n = 0
    for _ in rows:
        n += 1
    return n
"""


def batched(text: str) -> str | None:
    work = text.index("read("), text.index(", 4)") + len(", 4)")
    begin, end = text.index("for"), text.index("1\n") + 1
    edits = count_in_batches(text, begin, end, (work,))
    return None if edits is None else apply_edits(text, edits)


def test_what_is_counted_is_counted_in_batches_before_work_is_done_on_it() -> None:
    assert batched(READ) == (
        READ.replace(".map(parse, 4)", "")
        .replace("for _ in rows", "for batch in rows.batch(1024)")
        .replace("n += 1", "n += int(batch.shape[0])")
    )


@pytest.mark.parametrize("text", [READ.replace("n = 0", "n = 2"), READ.replace("paths", "batch")])
def test_what_counts_on_or_has_another_batch_stays(text: str) -> None:
    assert batched(text) is None
