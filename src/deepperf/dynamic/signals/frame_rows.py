"""A data frame of pandas is read or written row by row, or value by value, in a Python loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, told_at
from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Samples, Trace

NAME = "frame-rows"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
ROWS = ("DataFrame.iterrows", "DataFrame.itertuples", "Series.__getitem__", "Series.__setitem__")
"""Functions that give one row after the other, or a value of one."""
PARTS = ("_LocationIndexer.", "_ScalarAccessIndexer.", "_iLocIndexer.", "_LocIndexer.")
"""How those begin that read or write any part of a frame: also many rows at once."""
MOSTLY = 0.5
"""Part of the looks that are at rows from which on a loop is one over rows."""
GOES_BY_ROW = ("DataFrame.iterrows", "DataFrame.itertuples")
"""What a loop goes through whose turns are one row each, whatever they read and write of it."""
ONE_ROW = ("DataFrame._ixs", "NDFrame.xs", "DataFrame.xs")
"""What these call for a single row, or for one of its values."""
ONE_VALUE = "_ScalarAccessIndexer."
FEWEST_LOOKS = 8


def watch(_tape: Tape) -> None:
    """Nothing: where the time goes is looked at anyway."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops in which pandas works on rows and values for a good part of the time."""
    found: dict[tuple[str, int], list[tuple[Samples, Counter[str], int]]] = {}
    for seen in trace.samples:
        calls, by_row = _calls(seen)
        loop = loop_around(seen.file, seen.line) if calls else None
        if loop is not None:
            found.setdefault((seen.file, loop[0]), []).append((seen, calls, by_row))
    for (file, line), parts in found.items():
        calls = sum((one for _, one, _ in parts), Counter[str]())
        looks = calls.total()
        goes_by_row = any(
            calls[name] for at, calls, _ in parts for name in GOES_BY_ROW if at.line == line
        )
        by_row = looks if goes_by_row else sum(one for _, _, one in parts)
        if looks < max(FEWEST_LOOKS, FLOOR * trace.sampled) or by_row < MOSTLY * looks:
            continue
        names = ", ".join(f"`{name}`" for name, _ in calls.most_common(3))
        yield told_at(
            Samples(file, line, parts[0][0].function, 0, 0, 0),
            signal=NAME,
            cause="missed-efficient-api",
            message="a data frame is read row by row in a Python loop",
            evidence=f"{looks / trace.sampled:.0%} of the time goes to {names}",
            remedy="compute with whole columns, `frame['a'] * frame['b']`, masks and `groupby`; "
            "where a loop is needed, over `frame['a'].to_numpy()`",
            share=looks / trace.sampled,
        )


def _calls(seen: Samples) -> tuple[Counter[str], int]:
    """What of pandas a line was at, by the method that it called, and how often for a row."""
    counts: Counter[str] = Counter()
    by_row = 0
    for way, looks in seen.calls.items():
        name, *further = way.split("/")
        if name not in ROWS and not name.startswith(PARTS):
            continue
        counts[name] += looks
        is_row = name in ROWS or name.startswith(ONE_VALUE)
        by_row += looks * (is_row or not further or not set(ONE_ROW).isdisjoint(further))
    return counts, by_row
