"""Hears of each operation that a program has JAX send off by itself, in windows, by line."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from deepperf.dynamic.frameworks.heard import FEWEST, LARGER, MOST_KINDS, Heard, HeardLines
from deepperf.dynamic.frameworks.heard_broadcasts import HeardBroadcasts
from deepperf.dynamic.recording.places import UserCode
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.windows import Windows

EACH = 11e-6
"""Seconds that hearing of one operation is taken to have added to a line, after the fact."""
PER_TIMED = 1.3
"""Seconds that hearing takes in all for each that is timed of it."""
LONGEST = 2e-3
"""Seconds since the operation before from which on something else was done meanwhile: something was
compiled, or the program has not only sent it off."""
LOOKUPS = ("dynamic_slice", "gather", "slice", "take", "_take", "_rewriting_take", "unstack")
UPDATES = ("scatter",)
PREPARES = ("squeeze", "_squeeze", "convert_element_type", "broadcast_in_dim", "stage", "copy")
"""What JAX does to an index or a number before or after it uses it."""
JAX = os.sep + "jax" + os.sep
INDEXING = ("indexing.py", "scatter.py")
"""Files of JAX that make several operations of one index."""

Hook = Callable[[Any, Any, Any, Any], None]


def listen(tape: Tape, name: str) -> None:
    """Note under `name`, once JAX is there, what is heard as long as the budget lasts."""
    tape.imports.after("jax", lambda _module: _begin(tape, name))


def _begin(tape: Tape, name: str) -> None:
    api: Any = sys.modules.get("jax._src.api")
    # What `jax_debug_nans` uses: called from C++ after each dispatch. There is no public way.
    state = getattr(api, "_post_hook_state", None)
    if state is not None and hasattr(api, "_nan_check_posthook"):
        _Listening(tape, name, state, api._nan_check_posthook).begin()


class _Seen(Heard):
    __slots__ = ("functions", "seconds")

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0
        self.functions: Counter[str] = Counter()


class _Listening:
    """Hears of what the main thread sends off while it stands before who listened there."""

    def __init__(self, tape: Tape, name: str, state: Any, debugs: Hook) -> None:
        self._tape = tape
        self._name = name
        self._state = state
        self._debugs = debugs
        self._next: Hook | None = None
        self._last = 0.0
        self._lines = HeardLines(tape.code, _Seen)
        self._broadcasts = HeardBroadcasts(_bytes_of)
        self._windows = Windows(tape, name, PER_TIMED, self._open, self._close, self._note)

    def begin(self) -> None:
        self._windows.begin()

    def _open(self, _frame: FrameType | None) -> bool:
        before = self._state.get_local()
        # Where nothing is set for this thread, what is set for all would be hidden.
        if before is self._debugs or not (before is None or callable(before)):
            return False
        self._next = before
        self._last = 0.0
        self._state.set_local(self._hear)
        return True

    def _close(self, _frame: FrameType | None) -> bool:
        # Another may have been set since, or JAX has taken ours away.
        if self._state.get_local() == self._hear:
            self._state.set_local(self._next)
        return True

    def _hear(self, function: Any, arguments: Any, named: Any, made: Any) -> None:
        begin = self._windows.hears()
        if not self._windows.is_enough() and self._tape.active:
            since = time.perf_counter() - self._last
            # An invariant: recording harms no program.
            with contextlib.suppress(Exception):
                seconds = since if since < LONGEST else 0.0
                self._take(function, arguments, made, seconds, sys._getframe(1))
        self._windows.heard(begin)
        if self._next is not None:
            self._next(function, arguments, named, made)
        self._last = time.perf_counter()

    def _take(
        self, function: Any, arguments: Any, made: Any, seconds: float, frame: FrameType | None
    ) -> None:
        seen, between = self._lines.asked_by(frame)
        if seen is None:
            return
        is_index = any(JAX in file and file.endswith(INDEXING) for file in between)
        name = str(getattr(function, "__name__", ""))
        if _is_users(self._tape.code, function):
            seen.calls += 1
            seen.functions[name] += 1
            return
        seen.seconds += seconds
        if name in PREPARES or (is_index and not name.startswith((*LOOKUPS, *UPDATES))):
            return
        parts = made if isinstance(made, (tuple, list)) else (made,)
        self._follow(name, arguments, parts)
        times = len(parts) if name == "unstack" else 1
        seen.count += times
        seen.kinds[name] += times
        size = sum(int(getattr(part, "size", 1)) for part in parts)
        seen.elements += size
        whole = int(getattr(arguments[0], "size", 1)) if arguments else 1
        if name.startswith(LOOKUPS) and whole * times >= LARGER * size:
            seen.picks += times
            seen.picked += size

    def _follow(self, name: str, arguments: Any, made: Sequence[Any]) -> None:
        if name.startswith(LOOKUPS):
            self._broadcasts.picked(arguments)
        else:
            elements = sum(int(getattr(one, "size", 1)) for one in made)
            self._broadcasts.take(self._lines.last, elements, arguments, made)

    def _note(self) -> None:
        self._broadcasts.note(self._tape)
        for place, seen in self._lines:
            if max(seen.calls, *seen.kinds.values(), 0) < FEWEST:
                continue
            self._tape.note(self._name, place, count=0)
            detail = self._tape.detail(self._name, place)
            detail.update(seen.told(), scalars=0, seconds=seen.seconds)
            detail["functions"] = dict(seen.functions.most_common(MOST_KINDS))
            detail["callers"] = [list(one) for one in seen.callers]


def _bytes_of(value: Any) -> int:
    return int(getattr(value, "nbytes", 0))


def _is_users(code: UserCode, function: Any) -> bool:
    """Whether what was called is a function of the program's that it has compiled."""
    inner = getattr(function, "__wrapped__", None)
    while isinstance(inner, functools.partial):
        inner = inner.func
    of = getattr(inner, "__code__", None)
    return of is not None and bool(code.path_of(of.co_filename))
