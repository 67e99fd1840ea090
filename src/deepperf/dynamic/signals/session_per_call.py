"""A session is opened again and again on the same graph, and its variables are restored again."""

from __future__ import annotations

import functools
import os
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.session_runs import Ended, before_runs, leaves_of
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "session-per-call"
RULES = ("session-per-step",)
FEWEST = 8
"""Sessions of one line on one graph: one for training and one for each of a few experiments are
opened on purpose."""
FIRST_RUNS = 4
"""Runs of a session that are looked at: those after them run what the session knows."""
LONGEST = 0.02
"""Seconds of a first run that go to preparing the graph, at most: for some tens of nodes it took
3 to 5 ms, and what takes much longer computes."""
INDEX = ".index"
"""How the file of a checkpoint ends that is there whatever else it consists of."""


def watch(tape: Tape) -> None:
    """Learn of each session, its first runs, and what is restored in it."""
    opened = _Opened(tape)
    tape.imports.after("tensorflow.python.client.session", opened.watch_sessions)
    tape.imports.after("tensorflow.python.training.saver", opened.watch_savers)
    before_runs(tape, NAME, opened.begun)


class _Session:
    """A session: where it was opened, and what it has run so far."""

    __slots__ = ("known", "place", "runs")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.runs = 0
        self.known: set[tuple[int, ...]] = set()


class _Opened:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._sessions: weakref.WeakKeyDictionary[Any, _Session] = weakref.WeakKeyDictionary()
        self._graphs: weakref.WeakKeyDictionary[Any, Counter[Place]] = weakref.WeakKeyDictionary()
        self._restored: set[str] = set()
        self._is_restoring = False

    def watch_sessions(self, module: ModuleType) -> None:
        cls: Any = getattr(module, "BaseSession", None)
        cls.__init__ = self._timed(cls.__init__, self._open)

    def watch_savers(self, module: ModuleType) -> None:
        cls: Any = getattr(module, "Saver", None)
        restore = self._timed(cls.restore, self._restore)

        @standing_for(restore)
        def watched(*arguments: Any, **named: Any) -> Any:
            self._is_restoring = True
            try:
                return restore(*arguments, **named)
            finally:
                self._is_restoring = False

        cls.restore = watched

    def _timed(self, method: Callable[..., Any], note: Callable[..., None]) -> Callable[..., Any]:
        @standing_for(method)
        def timed(one: Any, *arguments: Any, **named: Any) -> Any:
            begin = time.perf_counter()
            result = method(one, *arguments, **named)
            seconds = time.perf_counter() - begin
            if self._tape.active:
                self._tape.guarded(NAME, lambda: note(seconds, one, *arguments, **named))
            return result

        return timed

    def _open(self, seconds: float, session: Any, *_: Any, **__: Any) -> None:
        place = self._tape.code.caller()
        if place is None:
            return
        self._sessions[session] = _Session(place)
        counts = self._graphs.setdefault(session.graph, Counter())
        counts[place] += 1
        self._tape.note(NAME, place, seconds=seconds)
        detail = self._tape.detail(NAME, place)
        detail["same"] = max(detail.get("same", 0), counts[place])

    def _restore(self, seconds: float, _: Any, session: Any, save_path: Any, **__: Any) -> None:
        opened = self._sessions.get(session)
        path = os.fspath(save_path)
        version = f"{path} {os.stat(path + INDEX).st_mtime_ns}"
        if opened is not None and version in self._restored:
            self._tape.note(NAME, opened.place, count=0, seconds=seconds)
            detail = self._tape.detail(NAME, opened.place)
            detail["restored"] = detail.get("restored", 0) + 1
            detail["name"] = os.path.basename(path)
        self._restored.add(version)

    def begun(self, session: Any, fetches: Any, _: Any) -> Ended | None:
        """Whether a run is the first of its kind in a session, whose graph is prepared for it."""
        opened = self._sessions.get(session)
        if opened is None or opened.runs >= FIRST_RUNS or self._is_restoring:
            return None
        opened.runs += 1
        key = tuple(map(id, leaves_of(fetches)))
        if key in opened.known:
            return None
        opened.known.add(key)
        return functools.partial(self._ran, opened.place)

    def _ran(self, place: Place, seconds: float) -> None:
        self._tape.note(NAME, place, count=0, seconds=min(seconds, LONGEST))


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that open sessions for a few runs each."""
    for seen in trace.observations:
        if seen.kind == NAME and seen.detail.get("same", 0) >= FEWEST:
            yield _diagnosis(trace, seen)


def _diagnosis(trace: Trace, seen: Observation) -> Diagnosis:
    again = seen.seconds * (seen.count - 1) / seen.count
    restored = seen.detail.get("restored", 0)
    also = f", restoring `{seen.detail['name']}` {restored:,} times" if restored else ""
    return told_at(
        seen,
        signal=NAME,
        cause="graph-confusion",
        message="a session is opened repeatedly on the same graph",
        evidence=(
            f"{seen.count:,} sessions; opening them{also} and preparing the graph for each took "
            f"about {seen.seconds:.2f} s"
        ),
        remedy=(
            "open the session once, together with its graph, and pass it to where it is used; "
            "then variables are restored only once, too"
        ),
        share=share_of_seconds(trace, again),
        rule="session-per-step",
    )
