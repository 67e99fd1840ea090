"""An array or a tensor is made anew, with all that is in it, each time something is added to it."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, told_at
from deepperf.dynamic.program.growing import grows_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "growing-array"
RULES = ("growing-array",)
FEWEST_SAMPLES = 8
"""Samples of a line below which it may have been met by chance."""


def watch(_tape: Tape) -> None:
    """Nothing has to be watched: where time goes is sampled, and the text says why."""


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines at which time goes, and that join an array with more in each turn of a loop."""
    for seen in trace.samples:
        share = seen.own / trace.sampled if trace.sampled else 0.0
        if share < FLOOR or seen.own < FEWEST_SAMPLES:
            continue
        name = grows_at(seen.file, seen.line)
        if not name:
            continue
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-api-usage",
            message=f"`{name}` is copied as a whole each time something is appended",
            evidence=f"the line took {seen.own * trace.interval:.2f} s, more in every iteration",
            remedy="collect the parts in a list, and join them once after the loop",
            share=share,
            rule=RULES[0],
        )
