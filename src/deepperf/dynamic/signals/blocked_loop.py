"""A step of a coroutine computes or waits for long, and the event loop serves nobody meanwhile."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Iterable
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.sampler import INTERVAL
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "blocked-loop"
RULES = ("blocking-endpoint",)
LONG = 0.02
"""Seconds of one step from which on other requests are felt to wait."""
FEWEST = 5
"""Steps below which it is what a program does when it starts."""


def watch(tape: Tape) -> None:
    """Time the steps of coroutines, and look which line the long ones are at."""
    watched = _Watch(tape)
    tape.imports.after("asyncio.events", watched.begin)


class _Watch:
    """`_met` are the lines that looks met in the step that is under way.

    Of a loop that is written in C, as uvloop is, nobody hears when a step begins: a coroutine that
    looks meet again and again is at one, as long as the loop had something to do all the time.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._met: list[Place] = []
        self._at: tuple[int, float] | None = None
        self._before: Place | None = None

    def begin(self, module: ModuleType) -> None:
        cls: Any = module.Handle
        run = cls._run
        self._code = run.__code__

        @standing_for(run)
        def timed(handle: Any) -> Any:
            self._met = []
            begin = time.perf_counter()
            try:
                return run(handle)
            finally:
                took = time.perf_counter() - begin
                if took >= LONG and self._met and self._tape.active:
                    self._note(took)

        cls._run = timed
        self._tape.at_samples(NAME, self._look)

    def _note(self, took: float) -> None:
        each = took / len(self._met)
        for place, looks in Counter(self._met).items():
            self._tape.note(NAME, place, seconds=looks * each)

    def _look(self, frame: FrameType | None) -> None:
        """Take the line of the innermost coroutine of the user's that the step is in."""
        found: FrameType | None = None
        for _ in range(DEEPEST):
            if frame is None or frame.f_code is self._code:
                break
            code = frame.f_code
            if found is None and code.co_flags & inspect.CO_COROUTINE:
                found = frame if self._tape.code.path_of(code.co_filename) else None
            frame = frame.f_back
        place = self._tape.code.place(found)
        if frame is None:
            self._meet_again(found, place)
        elif place is not None:
            self._met.append(place)

    def _meet_again(self, found: FrameType | None, place: Place | None) -> None:
        """Take a look at which no step of asyncio's own loop was under way."""
        if found is None or place is None:
            self._at = self._before = None
            return
        # The frame is not kept: what it holds would live longer.
        at = id(found), self._tape.idle
        if at != self._at:
            self._at, self._before = at, place
            return
        if self._before is not None:
            # The second look of a step tells that it is a long one.
            self._tape.note(NAME, self._before, seconds=INTERVAL)
            self._before = None
        self._tape.note(NAME, place, count=0, seconds=INTERVAL)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The coroutines that block, each at the line that does most."""
    by_function: dict[tuple[str, str], list[Observation]] = {}
    for seen in trace.observations:
        if seen.kind == NAME:
            by_function.setdefault((seen.file, seen.function), []).append(seen)
    for found in by_function.values():
        if sum(seen.count for seen in found) >= FEWEST:
            yield _diagnosis(trace, found)


def _diagnosis(trace: Trace, found: list[Observation]) -> Diagnosis:
    most = max(found, key=lambda seen: seen.seconds)
    seconds = sum(seen.seconds for seen in found)
    lines = ", ".join(str(seen.line) for seen in sorted(found, key=lambda seen: -seen.seconds)[:4])
    return told_at(
        most,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{most.function}` blocks the event loop",
        evidence=(
            f"{seconds:.2f} s in steps of at least {1000 * LONG:.0f} ms, in which no other request "
            f"was served; at {'line' if len(found) == 1 else 'lines'} {lines}"
        ),
        remedy=(
            "declare the endpoint with `def`, so that it runs in a thread, or await "
            "`asyncio.to_thread(...)`, and `asyncio.sleep` to wait; gather requests, and let the "
            "model take them in batches"
        ),
        share=share_of_seconds(trace, seconds),
        rule=RULES[0],
    )
