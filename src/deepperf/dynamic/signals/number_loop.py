"""A Python loop computes numbers that an array could hold, one in each turn."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.dynamic.diagnosis import Diagnosis, told_at
from deepperf.dynamic.program.number_loops import NumberLoop, number_loops
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.array_loop import NUMBERS

NAME = "number-loop"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_TURNS = 100
"""Turns below which sending a few operations to NumPy takes about as long."""
COSTLY = 0.05
"""Share of the run from which on computing with arrays is worth it."""


def watch(tape: Tape) -> None:
    """What is needed is noted by what looks at the names of running functions."""


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The loops in which time goes, and which the text shows to be about single numbers."""
    told: set[tuple[str, int]] = set()
    for seen in trace.observations:
        if seen.kind != NUMBERS:
            continue
        detail = seen.detail
        for loop in number_loops(seen.file, seen.function, detail["numbers"], detail["lists"]):
            share = _share(trace, seen.file, loop)
            is_new = (seen.file, loop.first) not in told
            if is_new and loop.turns >= FEWEST_TURNS and share >= COSTLY:
                told.add((seen.file, loop.first))
                yield _diagnosis(seen, loop, share)


def _share(trace: Trace, file: str, loop: NumberLoop) -> float:
    """The share of the run in which the loop's own lines ran, and nothing that they called."""
    within = range(loop.first, loop.last + 1)
    own = sum(one.python for one in trace.samples if one.file == file and one.line in within)
    return own / trace.sampled if trace.sampled else 0.0


def _diagnosis(seen: Observation, loop: NumberLoop, share: float) -> Diagnosis:
    return told_at(
        Place(seen.file, loop.first, seen.function),
        signal=NAME,
        cause="missed-efficient-api",
        message="a Python loop computes numbers one by one",
        evidence=f"{loop.turns:,} iterations of plain Python arithmetic each time",
        remedy="compute all of them at once with NumPy arrays or tensors",
        share=share,
    )
