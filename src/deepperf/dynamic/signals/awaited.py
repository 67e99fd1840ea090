"""Coroutines wait for each other: for a lock that one holds while it awaits something else, or for
the next look whether something is there."""

from __future__ import annotations

import ast
import functools
import sys
import time
from collections.abc import Iterable, Iterator
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.requests import REQUESTS
from deepperf.dynamic.program.text import spans, tree_of
from deepperf.dynamic.program.waiting import looks_again_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "awaited"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
LOCKED, SLEPT = f"{NAME} lock", f"{NAME} sleep"
FEWEST = 16
"""Times below which it is what a program does when it starts."""
PART = 0.2
"""Part of the time that requests take, or of the run where there are none, from which on waiting
for a lock matters."""
SLEEPING = 0.02
"""The same of sleeping between looks."""


def watch(tape: Tape) -> None:
    """Time how long coroutines wait for locks, and count for how long they sleep."""
    tape.imports.after("asyncio.locks", functools.partial(_watch_locks, tape))
    tape.imports.after("asyncio.tasks", functools.partial(_watch_sleeping, tape))


def _watch_locks(tape: Tape, module: ModuleType) -> None:
    cls: Any = module.Lock
    acquire = cls.acquire

    @standing_for(acquire)
    async def timed(self: Any) -> Any:
        if not tape.active or not self.locked():
            return await acquire(self)
        frame: FrameType | None = sys._getframe(1)
        place = tape.guarded(NAME, lambda: tape.code.place(frame))
        frame = None
        begin = time.perf_counter()
        try:
            return await acquire(self)
        finally:
            if place is not None:
                tape.note(LOCKED, place, seconds=time.perf_counter() - begin)

    cls.acquire = timed


def _watch_sleeping(tape: Tape, module: ModuleType) -> None:
    sleep = module.sleep

    @standing_for(sleep)
    async def noted(delay: Any, *arguments: Any, **named: Any) -> Any:
        if tape.active and isinstance(delay, (int, float)) and delay > 0:
            frame: FrameType | None = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, delay, frame))
            frame = None
        return await sleep(delay, *arguments, **named)

    for home in (module, sys.modules.get("asyncio")):
        if home is not None and getattr(home, "sleep", None) is sleep:
            vars(home)["sleep"] = noted


def _note(tape: Tape, delay: float, frame: FrameType | None) -> None:
    place = tape.code.place(frame)
    if place is not None:
        tape.note(SLEPT, place, seconds=delay)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines at which coroutines wait for long."""
    served = sum(seen.seconds for seen in trace.observations if seen.kind == REQUESTS)
    parts = {LOCKED: PART, SLEPT: SLEEPING}
    for seen in trace.observations:
        least = parts.get(seen.kind, 1.0) * (served or trace.seconds)
        if seen.kind not in parts or seen.count < FEWEST or seen.seconds < least:
            continue
        if seen.kind == LOCKED:
            yield from _of_lock(seen, served)
        elif looks_again_at(seen.file, seen.line):
            yield _of_sleep(seen)


def _of_lock(seen: Observation, served: float) -> Iterator[Diagnosis]:
    awaits = _awaited_within(seen.file, seen.line)
    if awaits is None:
        return
    lock, line = awaits
    share = min(1.0, seen.seconds / served) if served else 0.0
    part = f", {share:.0%} of the time that requests take" if served else ""
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"coroutines wait for `{lock}`, which another holds while it awaits something",
        evidence=(
            f"{seen.count:,} waits of {1000 * seen.seconds / seen.count:,.0f} ms{part}; what is "
            f"awaited first while it is held is at line {line}"
        ),
        remedy="hold it only where what coroutines share is read and changed, without an `await` "
        "between",
        weight=Weight.HINT,
    )


def _of_sleep(seen: Observation) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message="a coroutine sleeps before it looks again whether there is something for it",
        evidence=(
            f"{seen.count:,} times, {1000 * seen.seconds / seen.count:,.0f} ms each: what arrives "
            "meanwhile waits for it"
        ),
        remedy="await an `asyncio.Future`, `Event` or `Queue`; from another thread, set it by "
        "`loop.call_soon_threadsafe(...)`",
        weight=Weight.HINT,
    )


def _awaited_within(file: str, line: int) -> tuple[str, int] | None:
    """The lock that an `async with` takes at a line, and the first line in its body that awaits."""
    tree = tree_of(file)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.AsyncWith):
            for item in node.items:
                awaits = [
                    one.lineno
                    for statement in node.body
                    for one in ast.walk(statement)
                    if isinstance(one, (ast.Await, ast.AsyncFor, ast.AsyncWith))
                ]
                if awaits and spans(item.context_expr, line):
                    return ast.unparse(item.context_expr), min(awaits)
    return None
