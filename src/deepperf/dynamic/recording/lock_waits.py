"""How long Python's threads wait for the interpreter's lock, by what the kernel says of them.

A thread that waits for it waits for a word of memory within the interpreter's own state, where no
other lock is: Linux tells that word. But whoever looks holds the lock, so the thread that had it
until then is seen to wait as well. What is counted is therefore all time in which a thread was not
asleep for something else, less what it had of the processor or had no core for.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from deepperf.dynamic.recording.frames import has_lock

RTLD_DL_SYMENT = 1
FUTEX = {"x86_64": b"202", "aarch64": b"98"}
"""The number of the system call by which threads wait for a word, by the kind of machine."""
BYTES = 255
READS = 6
"""Times that a thread is asked for again which is about to wait: it takes a moment to begin."""


class _Info(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_void_p) for name in ("file", "base", "name", "address"))


class _Symbol(ctypes.Structure):
    """Of ELF with 64 bits."""

    _fields_ = (
        ("name", ctypes.c_uint32),
        ("rest", ctypes.c_uint32),
        ("value", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
    )


class Stood(NamedTuple):
    """A thread between two looks, in seconds: those that it had of the processor, those without a
    core, the rest; whether it sleeps now for something that is not the lock, or waits for that."""

    worked: float
    coreless: float
    rest: float
    is_asleep: bool
    waits: bool


class LockWaits:
    """Asks the kernel of threads by their native ids; must be asked by one that holds the lock,
    and does not let it go: reading files as Python does would. Raises OSError where the system
    does not tell."""

    def __init__(self) -> None:
        self._library: Any = ctypes.PyDLL(None)
        self._words = _words(self._library)
        self._futex = FUTEX[platform.machine()]
        self._buffer = ctypes.create_string_buffer(BYTES + 1)
        self._seen: dict[int, tuple[float, float]] = {}
        self._last = 0.0

    def look(self, natives: list[int], least: float) -> Mapping[int, Stood]:
        """What each thread that was there at the last look did since, unless all of them together
        computed for less than a part of the time: then nobody waits for another."""
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        seen, self._seen = self._seen, {}
        worked: dict[int, tuple[float, float]] = {}
        for native in natives:
            now_at = self._clocks(native)
            if now_at is None:
                # It has ended.
                continue
            self._seen[native] = now_at
            if native in seen:
                (ran, stood), (had_run, had_stood) = now_at, seen[native]
                worked[native] = ran - had_run, stood - had_stood
        if sum(one for one, _ in worked.values()) < least * passed:
            return {}
        states = {native: self._state(native) for native in worked}
        # One that had the lock until now is about to wait for it.
        for _ in range(READS):
            for native, state in [*states.items()]:
                if state == (False, False):
                    states[native] = self._state(native)
        return {
            native: Stood(one, coreless, passed - one - coreless, *states[native])
            for native, (one, coreless) in worked.items()
        }

    def skip(self) -> None:
        """What was done until now is not told."""
        self._seen = {}

    def _clocks(self, native: int) -> tuple[float, float] | None:
        words = self._read(native, "schedstat").split()
        return (int(words[0]) / 1e9, int(words[1]) / 1e9) if len(words) > 1 else None

    def _state(self, native: int) -> tuple[bool, bool]:
        """Whether a thread sleeps for something other than the lock, and whether for that."""
        words = self._read(native, "syscall").split()
        if words == [b"running"]:
            # It runs, or is ready to.
            return False, False
        is_waiting = len(words) > 1 and words[0] == self._futex
        waits = is_waiting and int(words[1], 16) in self._words
        return not waits, waits

    def _read(self, native: int, name: str) -> bytes:
        path = f"/proc/self/task/{native}/{name}".encode()
        file = self._library.open(path, os.O_RDONLY | os.O_CLOEXEC)
        if file < 0:
            return b""
        size = self._library.read(file, self._buffer, BYTES)
        self._library.close(file)
        return bytes(self._buffer.raw[: max(0, size)])


def _words(library: Any) -> range:
    """Where the interpreter keeps its own state. Raises OSError where that is not known."""
    is_known = sys.platform.startswith("linux") and platform.machine() in FUTEX
    if not (is_known and has_lock() and ctypes.sizeof(ctypes.c_void_p) == 8):
        raise OSError("no lock, or nobody tells who waits for it")
    try:
        begin = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
        tell = library.dladdr1
    except (AttributeError, ValueError) as error:
        raise OSError(str(error)) from error
    info, symbol = _Info(), ctypes.c_void_p()
    found = tell(ctypes.c_void_p(begin), ctypes.byref(info), ctypes.byref(symbol), RTLD_DL_SYMENT)
    if not found or not symbol.value or info.address != begin:
        raise OSError("the interpreter's state is not found")
    with open("/proc/self/syscall", "rb"):
        return range(begin, begin + int(_Symbol.from_address(symbol.value).size))
