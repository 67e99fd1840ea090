"""What Python's other threads compute: how much by their clocks, where by looks now and then."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from deepperf.dynamic.recording.forking import THREADS
from deepperf.dynamic.recording.frames import clocks_of_strangers
from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.recording.trace import Samples, ThreadTime

NUMBER = re.compile(r"[-_ ]*\d+")
"""What tells threads of the same kind from each other: "Thread-3 (produce)"."""
MOST_ROLES = 64
MOST_WAITING = 16
"""Threads that wait of which it is asked where at each look: a pool may have hundreds."""
MOST_STRANGERS = 64
"""Threads that libraries began of which it is remembered that they run Python at times."""
UNNAMED = "unnamed"

ThreadLook = Callable[[FrameType, float, float], None]
"""Shown the innermost frame of a thread, the seconds since the last look, and those of the
processor that the thread had of them."""


class _Role:
    """Threads that do the same; `counts` are in seconds of the processor, but for the last of each,
    which is waiting by the clock."""

    def __init__(self) -> None:
        self.known: set[int] = set()
        self.seconds = 0.0
        self.counts: dict[Place, list[float]] = {}


class OtherThreads:
    """Looks at all threads but the main one and those of ours; asked by the sampler's thread.

    `listeners` are shown those that Python began: those that compute, and some that wait. They must
    not raise, nor keep the frame. `worked` is what these have computed before the last look.
    """

    def __init__(self, code: UserCode, main: int) -> None:
        self.listeners: list[ThreadLook] = []
        self.worked = 0.0
        self._code = code
        self._main = main
        self._roles: dict[str, _Role] = {}
        self._clocks: dict[int, float] = {}
        self._strangers: dict[int, str] = {}
        self._last = time.perf_counter()

    def look(self, frames: Mapping[int, FrameType]) -> None:
        """Charge each thread's line with what the thread has computed since the last look."""
        self.worked = 0.0
        if len(frames) < 2 or not sys.platform.startswith("linux"):
            return
        # Its lock may be held by a thread that waits for us: the dict alone is read.
        known: dict[int, Any] = dict(threading._active)  # type: ignore[attr-defined]
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        waiting = 0
        if self._strangers or not known.keys() >= frames.keys():
            self._look_at_strangers(frames, known, passed)
        for number, frame in frames.items():
            thread = known.get(number)
            if number == self._main or thread is None or thread.name.startswith(THREADS):
                continue
            native = thread.native_id
            seconds = 0.0 if native is None else _seconds_of(native)
            worked = seconds - self._clocks.get(native, 0.0)
            if worked > 0.0:
                self.worked += worked
                self._clocks[native] = seconds
                self._charge(thread.name, native, worked, frame)
            if worked > 0.0 or waiting < MOST_WAITING:
                for listener in self.listeners:
                    listener(frame, passed, max(0.0, worked))
            # One that only looks for work now and then computes a little at each look.
            stood = passed - max(0.0, worked)
            if native is not None and stood >= passed / 2 and waiting < MOST_WAITING:
                waiting += 1
                self._wait(thread.name, native, stood, frame)

    def _look_at_strangers(
        self, frames: Mapping[int, FrameType], known: Mapping[int, Any], passed: float
    ) -> None:
        """Charge what computes in threads that libraries began, such as those of a pipeline that
        calls functions of Python's.

        What one computes while it is not seen in Python is the library's own. Of one that is new,
        nothing is known but that it has computed no longer than has passed.
        """
        found = clocks_of_strangers({*known, threading.get_ident()})
        met = {_native_of(clock): frames.get(number) for number, clock in found.items()}
        for native in [*self._strangers, *(one for one in met if one not in self._strangers)]:
            frame = met.get(native)
            seconds = _seconds_of(native)
            worked = min(passed, seconds - self._clocks.get(native, 0.0))
            self._clocks[native] = seconds
            if not seconds:
                self._strangers.pop(native, None)
                self._clocks.pop(native, None)
            elif frame is not None and native not in self._strangers:
                if len(self._strangers) >= MOST_STRANGERS:
                    continue
                self._strangers[native] = _name_of(native)
            if frame is not None and worked > 0.0 and native in self._strangers:
                self._charge(self._strangers[native], native, worked, frame)

    @property
    def has_strangers(self) -> bool:
        """Whether threads that libraries began have run Python."""
        return bool(self._strangers)

    def skip(self) -> None:
        """What all threads have computed until now is charged to nothing."""
        self._last = time.perf_counter()
        if not sys.platform.startswith("linux"):
            return
        for native in self._strangers:
            self._clocks[native] = _seconds_of(native)
        for thread in [*threading.enumerate()]:
            if thread.native_id is not None:
                self._clocks[thread.native_id] = _seconds_of(thread.native_id)

    def _role_of(self, name: str, native: int) -> _Role | None:
        role_name = role_of(name)
        if role_name not in self._roles and len(self._roles) >= MOST_ROLES:
            return None
        role = self._roles.setdefault(role_name, _Role())
        role.known.add(native)
        return role

    def _wait(self, name: str, native: int, passed: float, frame: FrameType) -> None:
        """A thread has computed little since the last look: if a line of the user's has it wait, or
        ready for a core or the interpreter's lock, that is charged with the rest."""
        place = self._code.place(frame)
        role = None if place is None else self._role_of(name, native)
        if place is not None and role is not None:
            role.counts.setdefault(place, [0.0, 0.0, 0.0, 0.0])[3] += passed

    def _charge(self, name: str, native: int, worked: float, frame: FrameType) -> None:
        role = self._role_of(name, native)
        if role is None:
            return
        role.seconds += worked
        is_own = bool(self._code.path_of(frame.f_code.co_filename))
        for number, place in enumerate(dict.fromkeys(self._code.stack(frame))):
            counts = role.counts.setdefault(place, [0.0, 0.0, 0.0, 0.0])
            counts[0] += worked
            counts[1] += worked * (number == 0)
            counts[2] += worked * (number == 0 and is_own)

    def told(self, interval: float) -> tuple[ThreadTime, ...]:
        """What was seen so far, in looks of an interval, those that computed most first."""
        roles = sorted([*self._roles.items()], key=lambda item: -item[1].seconds)
        return tuple(
            ThreadTime(
                name,
                len(role.known),
                role.seconds,
                tuple(
                    Samples(
                        *place,
                        round(total / interval),
                        round(own / interval),
                        round(python / interval),
                        round(waited / interval),
                    )
                    for place, (total, own, python, waited) in list(role.counts.items())
                    if max(total, waited) >= interval
                ),
            )
            for name, role in roles
        )


def role_of(name: str) -> str:
    """What threads that do the same are called."""
    return NUMBER.sub("", name) or name


def _native_of(clock: int) -> int:
    """The thread's number for the system, from which Linux makes that of its clock."""
    return ~(clock >> 3)


def _name_of(native: int) -> str:
    """What a library calls a thread: Linux names each like the one that began it until then."""
    try:
        with open(f"/proc/self/task/{native}/comm", encoding="utf-8", errors="replace") as file:
            name = file.read().strip()
        with open("/proc/self/comm", encoding="utf-8", errors="replace") as file:
            return UNNAMED if name == file.read().strip() else name or UNNAMED
    except OSError:
        return UNNAMED


def _seconds_of(native: int) -> float:
    """What a thread has had of the processor, 0 for one that is gone.

    Linux makes the clock's number from the thread's. To ask for it by `pthread_getcpuclockid`
    could crash where the thread ends meanwhile.
    """
    try:
        return time.clock_gettime(~native << 3 | 6)
    except OSError:
        return 0.0
