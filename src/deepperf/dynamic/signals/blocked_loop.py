"""A step of a coroutine computes or waits for long, and the event loop serves nobody meanwhile."""

from __future__ import annotations

import inspect
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from types import CodeType, FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.requests import REQUESTS
from deepperf.dynamic.recording.clock import seconds_without_core
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.sampler import INTERVAL
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "blocked-loop"
BY_LOOKS = True
RULES = ("blocking-endpoint",)
LONG = 0.02
"""Seconds of one step from which on other requests are felt to wait."""
ASK_EVERY = 0.005
"""Seconds after which it is asked again, before a step, for how long the thread had no core."""
LOOKS = {"met": True}
"""What is noted of a step that only looks tell of."""
SERVED = f"{NAME} served"
"""What is noted where a loop runs in another thread, or is written in C, of which nobody hears when
a step begins: the seconds that looks found in steps, those of the processor of these, for whose
requests, and at which lines."""
STEPS = f"{NAME} steps"
"""What is noted of all long steps, of whichever coroutine: their seconds, and the looks at them."""
WHOLE = Place("", 0, "")
MOST_LINES = 64
MOST_TOLD = 6
SELDOM = 0.01
"""Part of all steps' time at a line below which it is not named."""
FEWEST = 5
"""Steps below which it is what a program does when it starts."""
FEWEST_MET = 2
"""Steps that looks have met from which on the others are taken to be like them."""


def watch(tape: Tape) -> None:
    """Time the steps of coroutines, and look which line the long ones are at."""
    watched = _Watch(tape)
    tape.imports.after("asyncio.events", watched.begin)


class _Watch:
    """`_met` are the lines that looks met in the step that is under way.

    Of a loop that is written in C, as uvloop is, nobody hears when a step begins: a task that looks
    meet again and again may be at one, as long as the loop had something to do all the time.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._met: list[Place] = []
        self._looks = 0
        self._at: tuple[Callable[[], Any], float] | None = None
        self._since = 0.0
        self._pending: list[Place] = []
        self._is_told = False
        self._clock = time.perf_counter
        self._without_core = _without_core
        self._asked = -1.0
        self._coreless = 0.0
        self._loop: Callable[[], Any] | None = None
        self._main = 0

    def begin(self, module: ModuleType) -> None:
        cls: Any = module.Handle
        run = cls._run
        self._code = run.__code__

        @standing_for(run)
        def timed(handle: Any) -> Any:
            if threading.get_ident() != self._main:
                return run(handle)
            self._met = []
            self._looks = 0
            begin = self._clock()
            if begin - self._asked >= ASK_EVERY:
                self._asked, self._coreless = begin, self._without_core()
            try:
                return run(handle)
            finally:
                took = self._clock() - begin
                if took >= LONG and self._tape.active:
                    self._note(took - (self._without_core() - self._coreless))

        cls._run = timed
        self._main = threading.get_ident()
        self._tape.at_samples(NAME, self._look)
        self._tape.at_threads(NAME, self._look_at_thread)

    def _note(self, took: float) -> None:
        # A step in which others had all cores is no longer than it would be without them.
        if took < LONG:
            return
        tape = self._tape
        tape.note(STEPS, WHOLE, seconds=took)
        whole = tape.detail(STEPS, WHOLE)
        whole["looks"] = whole.get("looks", 0) + self._looks
        each = took / max(1, self._looks)
        for place, looks in Counter(self._met).items():
            tape.note(NAME, place, seconds=looks * each)
            detail = tape.detail(NAME, place)
            detail["looks"] = detail.get("looks", 0) + looks

    def _look(self, frame: FrameType | None) -> None:
        """Take the line of the innermost coroutine of the user's that the step is in."""
        found: FrameType | None = None
        innermost = frame
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
            if innermost is not None and place is not None:
                self._look_into(innermost, INTERVAL, INTERVAL, aside=0)
            return
        self._looks += 1
        if place is not None:
            self._met.append(place)

    def _look_at_thread(self, frame: FrameType, passed: float, worked: float) -> None:
        """Take a look at a thread whose loop may be in a step; runs in the sampler's."""
        self._look_into(frame, passed, worked, aside=1)

    def _look_into(self, frame: FrameType, passed: float, worked: float, aside: int) -> None:
        code = self._tape.code
        inner = code.place(frame)
        found = outer = None
        at: FrameType | None = frame
        for _ in range(DEEPEST):
            if at is None:
                break
            if at.f_code.co_flags & inspect.CO_COROUTINE and code.path_of(at.f_code.co_filename):
                found, outer = found or at, at
            at = at.f_back
        place = code.place(found)
        if place is not None and inner is not None and outer is not None:
            self._serve(place, inner, outer.f_code, passed)
            detail = self._tape.detail(SERVED, place)
            detail["worked"] = detail.get("worked", 0.0) + worked
            detail["aside"] = aside

    def _serve(self, place: Place, inner: Place, outer: CodeType, passed: float) -> None:
        self._tape.note(SERVED, place, seconds=passed)
        detail = self._tape.detail(SERVED, place)
        detail["asked"] = [self._tape.code.path_of(outer.co_filename), outer.co_firstlineno]
        lines = detail.setdefault("lines", {})
        key = f"{inner.line} {inner.function} {inner.file}"
        if key in lines or len(lines) < MOST_LINES:
            lines[key] = lines.get(key, 0.0) + passed

    def _meet_again(self, found: FrameType | None, place: Place | None) -> None:
        """Take a look at which no step of asyncio's own loop was under way."""
        task = None if found is None else self._task()
        if task is None or place is None:
            self._at = None
            return
        idle = self._tape.idle
        now = self._clock()
        if self._at is None or self._at[0]() is not task or self._at[1] != idle:
            # The next request's frame is often where that of the last one was, and to keep a frame
            # or a task would let live longer what it holds.
            self._at = weakref.ref(task), idle
            self._since, self._pending, self._is_told = now, [place], False
            return
        self._pending.append(place)
        # One look may stand for several, where the thread had no core, and tells of a moment only:
        # others are about as far apart as a step is long.
        if now - self._since < LONG / 2:
            return
        for one in self._pending:
            self._tape.note(NAME, one, int(not self._is_told), INTERVAL, detail=LOOKS)
            self._is_told = True
        self._pending.clear()

    def _task(self) -> Any:
        """The main thread's task, as a look can tell from another thread, too, once it has told so
        in this one."""
        asyncio: Any = sys.modules.get("asyncio")
        if asyncio is None or not hasattr(asyncio, "current_task"):
            return None
        loop = asyncio._get_running_loop()
        if loop is None:
            loop = None if self._loop is None else self._loop()
        elif threading.current_thread() is threading.main_thread():
            self._loop = weakref.ref(loop)
        return None if loop is None else asyncio.current_task(loop)


def _without_core() -> float:
    return seconds_without_core(threading.get_native_id())


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The coroutines that block, each at the line that does most."""
    by_function: dict[tuple[str, str], list[Observation]] = {}
    for seen in trace.observations:
        if seen.kind == NAME:
            by_function.setdefault((seen.file, seen.function), []).append(seen)
    # Where both tell, looks that met the same task twice are some of those that found one at all.
    told = {(one.file, one.function): one for one in _of_served(trace)}
    steps = next((seen for seen in trace.observations if seen.kind == STEPS), None)
    for where, found in by_function.items():
        is_timed = not any(seen.detail.get("met") for seen in found)
        count, seconds = _steps_of(found, steps if is_timed else None)
        if count >= FEWEST and (is_timed or where not in told):
            told[where] = _diagnosis(trace, found, seconds)
    yield from told.values()


def _steps_of(found: list[Observation], steps: Observation | None) -> tuple[float, float]:
    """How many long steps of a coroutine there were, and their seconds: of all, the part that it
    has of the looks that met one."""
    count = sum(seen.count for seen in found)
    seconds = sum(seen.seconds for seen in found)
    looks = sum(seen.detail.get("looks", 0) for seen in found)
    if steps is None or not looks or count < FEWEST_MET:
        return count, seconds
    part = looks / steps.detail["looks"]
    return max(count, part * steps.count), max(seconds, part * steps.seconds)


def _of_served(trace: Trace) -> Iterable[Diagnosis]:
    """Coroutines whose steps take long for each request, where nobody timed the steps."""
    requests = {(o.file, o.line): o.count for o in trace.observations if o.kind == REQUESTS}
    by_function: dict[tuple[str, str], list[Observation]] = {}
    for seen in trace.observations:
        if seen.kind == SERVED and tuple(seen.detail["asked"]) in requests:
            by_function.setdefault((seen.file, seen.function), []).append(seen)
    for found in by_function.values():
        count = sum({requests[tuple(seen.detail["asked"])] for seen in found})
        seconds = sum(seen.seconds for seen in found)
        if count >= FEWEST and seconds >= LONG * count:
            yield _served(trace, found, seconds, count)


def _served(trace: Trace, found: list[Observation], seconds: float, count: int) -> Diagnosis:
    most = max(found, key=lambda seen: seen.seconds)
    worked = sum(seen.detail["worked"] for seen in found)
    lines: Counter[str] = Counter()
    for seen in found:
        lines.update(seen.detail["lines"])
    named = [
        f"{file.rpartition('/')[2]}:{line} in {function}"
        for key, spent in lines.most_common(MOST_TOLD)
        if spent >= SELDOM * seconds
        for line, function, file in [key.split(" ", 2)]
    ]
    each = 1000 * seconds / count
    evidence = (
        f"about {each:,.0f} ms for each of {count:,} requests, in which no other is served; most "
        f"at {', '.join(named)}"
    )
    if not most.detail.get("aside", 1):
        return _told(most, evidence, share_of_seconds(trace, seconds))
    share = min(1.0, worked / trace.cpu_seconds) if trace.cpu_seconds else 0.0
    return _told(most, evidence, share)


def _diagnosis(trace: Trace, found: list[Observation], seconds: float) -> Diagnosis:
    most = max(found, key=lambda seen: seen.seconds)
    lines = ", ".join(str(seen.line) for seen in sorted(found, key=lambda seen: -seen.seconds)[:4])
    at = f"at {'line' if len(found) == 1 else 'lines'} {lines}"
    how = f"in steps of at least {1000 * LONG:.0f} ms, in which no other request was served; {at}"
    if any(seen.detail.get("met") for seen in found):
        how = f"{at}, where looks in a row met the same task and the loop was never seen idle"
    return _told(most, f"{seconds:.2f} s {how}", share_of_seconds(trace, seconds))


def _told(most: Observation, evidence: str, share: float) -> Diagnosis:
    return told_at(
        most,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{most.function}` blocks the event loop",
        evidence=evidence,
        remedy=(
            "declare the endpoint with `def`, so that it runs in a thread, or await "
            "`asyncio.to_thread(...)`, and `asyncio.sleep` to wait; gather requests, and let the "
            "model take them in batches"
        ),
        share=share,
        rule=RULES[0],
    )
