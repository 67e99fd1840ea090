"""A short look at what TensorFlow does inside: how long steps wait for elements, and for which
stage of the pipeline. Its profiler tells it, of pipelines that Python never sees at work."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

GETS = "IteratorGetNextOp::DoCompute"
EXECUTES = "EagerLocalExecute: __inference"
PYTHON = ("PyFunc", "EagerPyFunc")
PICOSECOND = 1e-12
JOINS = ("Zip", "Concatenate")
"""Stages of several inputs, whose number counts."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a window shows: whole turns from one element to the next, their time and the waiting.

    `stages` holds the seconds of each stage, of which those before it have no part, by its path
    from the root; `python` the seconds in Python functions that the pipeline calls, `executed`
    those of the compiled functions that Python calls, waiting included.
    """

    turns: int
    seconds: float
    waited: float
    stages: Mapping[tuple[str, ...], float] = field(default_factory=dict)
    python: float = 0.0
    executed: float = 0.0

    @property
    def slowest(self) -> tuple[str, ...]:
        """The path of the stage that takes most time itself; empty where none was seen."""
        return max(self.stages, key=lambda path: (self.stages[path], path), default=())


class Window:
    """A session of the profiler. The program's own, if it starts one, goes first."""

    def __init__(self) -> None:
        self._session: Any = None

    @property
    def is_open(self) -> bool:
        return self._session is not None

    def open(self) -> bool:
        """Begin to look; whether that is possible."""
        profiler: Any = sys.modules.get("tensorflow.python.profiler.profiler_v2")
        native = _native()
        if native is None or self._session is not None:
            return False
        if profiler is not None and getattr(profiler, "_profiler", None) is not None:
            return False
        session = native.ProfilerSession()
        session.start("", {})
        self._session = session
        return True

    def close(self) -> Seen | None:
        """End the look, and tell what was seen."""
        session, self._session = self._session, None
        if session is None:
            return None
        data = session.stop()
        # Part of TensorFlow, which is loaded; brings in nothing else.
        events: Any = importlib.import_module("tensorflow.tsl.profiler.protobuf.trace_events_pb2")
        return seen_in(events.Trace.FromString(data).trace_events)


def _native() -> Any:
    """TensorFlow's profiler, where it looks at the processor alone: a GPU's takes seconds."""
    build: Any = sys.modules.get("tensorflow.python.platform.build_info")
    if build is None or build.build_info.get("is_cuda_build", True):
        return None
    found: ModuleType | None = sys.modules.get(
        "tensorflow.python.profiler.internal._pywrap_profiler"
    )
    return found


def seen_in(events: Iterable[Any]) -> Seen:
    """What the events of a profile say of waiting for elements."""
    gets: list[tuple[int, int]] = []
    totals: dict[tuple[str, ...], float] = {}
    python = executed = 0.0
    for event in events:
        name = event.name
        if name.startswith("Iterator::"):
            path = _path(event.args.get("long_name", ""))
            if path:
                totals[path] = totals.get(path, 0.0) + event.duration_ps * PICOSECOND
        elif name.startswith(GETS):
            gets.append((event.timestamp_ps, event.duration_ps))
        elif name.startswith(EXECUTES):
            executed += event.duration_ps * PICOSECOND
        elif name in PYTHON:
            python += event.duration_ps * PICOSECOND
    gets.sort()
    own = dict(totals)
    for path, seconds in totals.items():
        if path[:-1] in own:
            own[path[:-1]] -= seconds
    turns = max(0, len(gets) - 1)
    seconds = (gets[-1][0] - gets[0][0]) * PICOSECOND if turns else 0.0
    waited = sum(length for _, length in gets[:-1]) * PICOSECOND
    return Seen(turns, seconds, min(waited, seconds), own, python, executed)


def _path(long_name: str) -> tuple[str, ...]:
    """`Iterator::Root::Map[0]::Shuffle` as its parts, without the root and elements' numbers."""
    return tuple(map(_part, long_name.split("::")[2:]))


def _part(text: str) -> str:
    name, _, number = text.partition("[")
    return text if name in JOINS and number != "0]" else name
