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
FRAMES = ("DataFrame", "Series", "_LocationIndexer", "_ScalarAccessIndexer")
ROWS = ("iterrows", "itertuples", "items")
"""Methods that give one row after the other."""
VALUES = ("__getitem__", "__setitem__", "apply", "get", "_get_value", "_set_value")
"""Those that read or write a part, or call a function for each row."""
FEWEST_LOOKS = 8


def watch(_tape: Tape) -> None:
    """Nothing: where the time goes is looked at anyway."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops in which pandas works on rows and values for a good part of the time."""
    found: dict[tuple[str, int], list[tuple[Samples, Counter[str]]]] = {}
    for seen in trace.samples:
        calls = _calls(seen)
        loop = loop_around(seen.file, seen.line) if calls else None
        if loop is not None:
            found.setdefault((seen.file, loop[0]), []).append((seen, calls))
    for (file, line), parts in found.items():
        calls = sum((one for _, one in parts), Counter[str]())
        looks = calls.total()
        if looks < FEWEST_LOOKS or looks < FLOOR * trace.sampled:
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


def _calls(seen: Samples) -> Counter[str]:
    """What of pandas a line was at, by the method that it called."""
    counts: Counter[str] = Counter()
    for way, looks in seen.calls.items():
        name = way.partition("/")[0]
        owner, _, method = name.partition(".")
        if owner in FRAMES and method in (*ROWS, *VALUES):
            counts[name] += looks
    return counts
