"""Counts calls of a few functions of libraries: from which line, in how many steps, how long."""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

COUNTED = "_deepperf_counted"


def count_calls(tape: Tape, kind: str, home: str, names: Sequence[str]) -> None:
    """Note under `kind` each call of functions of a module, or of methods, as `Class.method`, once
    it is imported; of calls within each other, also of other kinds, the outermost."""
    tape.imports.after(home, functools.partial(_watch, tape, kind, names))


def _watch(tape: Tape, kind: str, names: Sequence[str], module: Any) -> None:
    state = _state_of(tape)
    for name in names:
        owner_name, _, method = name.rpartition(".")
        owner = getattr(module, owner_name, None) if owner_name else module
        function = getattr(owner, method, None)
        # Another module may have the same function.
        if function is not None and not hasattr(function, COUNTED):
            setattr(owner, method, _counted(tape, kind, name, state, function))


@functools.lru_cache(maxsize=1)
def _state_of(_tape: Tape) -> _State:
    return _State()


class _State(threading.local):
    """Shared by all that a thread counts: what a counted call does within itself is its own."""

    is_within = False


def _counted(tape: Tape, kind: str, name: str, state: _State, function: Any) -> Any:
    @standing_for(function)
    def counted(*arguments: Any, **named: Any) -> Any:
        if state.is_within or not tape.active:
            return function(*arguments, **named)
        state.is_within = True
        begin, working = time.perf_counter(), time.thread_time()
        try:
            return function(*arguments, **named)
        finally:
            state.is_within = False
            seconds, worked = time.perf_counter() - begin, time.thread_time() - working
            frame = sys._getframe(1)
            tape.guarded(kind, lambda: _note(tape, kind, name, seconds, worked, frame))

    setattr(counted, COUNTED, True)
    return counted


def _note(
    tape: Tape, kind: str, name: str, seconds: float, worked: float, frame: FrameType
) -> None:
    place = tape.code.place(frame)
    if place is None:
        return
    tape.note(kind, place, seconds=seconds)
    detail = tape.detail(kind, place)
    detail["name"] = name.rpartition(".")[2]
    if threading.current_thread() is not threading.main_thread():
        detail["aside"] = detail.get("aside", 0) + 1
        detail["worked"] = detail.get("worked", 0.0) + worked
    ticks = tape.ticks
    if detail.get("last") != ticks:
        detail["last"] = ticks
        detail["steps"] = detail.get("steps", 0) + 1


def counted_of(trace: Trace, kind: str) -> Iterator[tuple[Observation, float]]:
    """The lines that called, and how often in each of the steps in which they did."""
    for seen in trace.observations:
        if seen.kind == kind:
            yield seen, seen.count / max(1, seen.detail["steps"])
