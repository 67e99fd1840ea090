"""Arrays are broadcast against each other into one that is much larger, and soon reduced again."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from types import FrameType

from deepperf.dynamic.diagnosis import Diagnosis, Weight, own_share_of, told_at
from deepperf.dynamic.frameworks.heard_broadcasts import KIND as HEARD
from deepperf.dynamic.frameworks.torch_operations import SPREAD
from deepperf.dynamic.program.broadcasts import broadcasts_at, is_reduced_after
from deepperf.dynamic.recording.clock import resident_bytes
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "broadcast-peak"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("out-of-memory", "slow-execution")
OPERATIONS = "torch-loops"
LARGE = 100_000_000
"""Bytes by which memory rises at a line before it is noted: less is what libraries take for
themselves now and then."""
MOST_HELD = 0.25
"""Part of the most that was held from which on a line is what the memory is needed for."""
FALLS = 0.5
"""Part of the rise that is given back at once: what stays is a result, and wanted."""
LATER = f"{NAME} later"
"""Rises that were given back when the program had gone on to other lines."""
SOON = 2.0
"""Seconds of work after its line until which what it took is only passed on to what reduces it."""
MOST_OPEN = 4


@dataclass(frozen=True, slots=True)
class _Rise:
    """What a line took, and still held when the program went on."""

    place: Place
    low: int
    high: int
    until: float

    def is_given_back(self, held: int) -> bool:
        return self.high - held >= FALLS * (self.high - self.low)


def watch(tape: Tape) -> None:
    """Look how the memory rises and falls while the main thread is at a line."""
    tape.during_operations(NAME, _Watch(tape).look)


class _Watch:
    """Runs in the sampler's thread."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._place: Place | None = None
        self._low = self._high = self._last = resident_bytes()
        self._open: list[_Rise] = []

    def look(self, frame: FrameType) -> None:
        held = resident_bytes()
        place = self._tape.code.place(frame)
        rise = self._high - self._low
        if self._place is not None and rise >= LARGE and self._high - held >= FALLS * rise:
            self._note(NAME, self._place, rise)
            self._low = self._high = held
        self._settle(held)
        if place != self._place and self._place is not None and self._high - self._low >= LARGE:
            until = time.process_time() + SOON
            self._open = self._open[1 - MOST_OPEN :]
            self._open.append(_Rise(self._place, self._low, self._high, until))
        if place != self._place:
            self._place, self._low, self._high = place, self._last, self._last
        # What a line gave back, it may take again in the next turn of its loop.
        self._low = min(self._low, held)
        self._high = max(self._high, held)
        self._last = held

    def _settle(self, held: int) -> None:
        """Note what was given back by now, and forget what is kept for longer."""
        for rise in [rise for rise in self._open if rise.is_given_back(held)]:
            self._note(LATER, rise.place, rise.high - rise.low)
            self._open.remove(rise)
        if self._open and self._open[0].until < time.process_time():
            del self._open[0]

    def _note(self, kind: str, place: Place, rise: int) -> None:
        self._tape.note(kind, place)
        detail = self._tape.detail(kind, place)
        detail["rise"] = max(detail.get("rise", 0), rise)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines whose text broadcasts, and which need much memory for a moment, and those that
    hardly anybody wants to broadcast."""
    peak = trace.peak
    heard = {(seen.file, seen.line) for seen in trace.observations if seen.kind == HEARD}
    for seen in trace.observations:
        if seen.kind == SPREAD:
            yield _of_column(trace, seen)
        elif seen.kind == HEARD:
            # What is made of it, as large, is held with it.
            most = max(peak, seen.detail["held"])
            if seen.detail["held"] >= MOST_HELD * most:
                yield _diagnosis(seen, _shapes(seen), seen.detail["held"] / most)
        if seen.kind not in (NAME, LATER) or (seen.file, seen.line) in heard:
            continue
        most = max(peak, seen.detail["rise"])
        if seen.detail["rise"] < MOST_HELD * most or not broadcasts_at(seen.file, seen.line):
            continue
        if seen.kind == NAME or is_reduced_after(seen.file, seen.line):
            yield _diagnosis(seen, _rise(seen), seen.detail["rise"] / most)


def _rise(seen: Observation) -> str:
    times = "once" if seen.count == 1 else f"at least {seen.count:,} times"
    return f"memory rose by {seen.detail['rise'] / 1e6:,.0f} MB here, and fell again, {times}"


def _shapes(seen: Observation) -> str:
    *taken, made = (str(tuple(shape)) for shape in seen.detail["shapes"])
    return (
        f"{' and '.join(taken)} make {made}, {seen.detail['size'] / 1e6:,.0f} MB, which "
        "is only reduced again"
    )


def _diagnosis(seen: Observation, evidence: str, share: float) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="missed-efficient-api",
        message="broadcasting creates a much larger temporary array",
        evidence=evidence,
        remedy=(
            "use an operation that reduces without the temporary: a matrix product "
            "(`|a - b|² = |a|² + |b|² - 2ab`), "
            "`einsum`, `cdist`; or take the rows in parts"
        ),
        weight=Weight.MEMORY,
        share=min(1.0, share),
    )


def _of_column(trace: Trace, seen: Observation) -> Diagnosis:
    """Predictions as a column, and what they are compared with as a row: each meets each."""
    rows = seen.detail["rows"]
    return told_at(
        seen,
        signal=NAME,
        cause="missed-efficient-api",
        message=f"shapes ({rows:,}, 1) and ({rows:,},) broadcast to ({rows:,}, {rows:,})",
        evidence=(
            f"at least {seen.detail['times']:,} times; the result is not the loss of each row, "
            "either"
        ),
        remedy="give both the same shape: `target.unsqueeze(1)`, or `output.squeeze(1)`",
        # What is then done to all of them, backwards too, takes longer than this line.
        share=_share_of_wide(trace, seen, rows * rows),
    )


def _share_of_wide(trace: Trace, seen: Observation, size: int) -> float:
    """The share of the lines of the function that work on as many numbers."""
    lines = {
        one.line
        for one in trace.observations
        if one.kind == OPERATIONS
        and (one.file, one.function) == (seen.file, seen.function)
        and one.detail.get("elements", 0) * 2 >= size * one.detail.get("heard", 1)
    }
    return sum(own_share_of(trace, seen.file, line) for line in {seen.line, *lines})
