"""A timer of a process's computing time whose signal comes to one thread alone."""

from __future__ import annotations

import ctypes
import functools
import math
import os
import sys
import threading

CLOCK_PROCESS_CPUTIME_ID = 2
SIGEV_THREAD_ID = 4
"""Of Linux: Python names neither where timers are concerned."""
SIZE = 64
"""Bytes of what says how a timer tells."""
NANO = 1e9
SS_DISABLE = 2
STACK = 1 << 18
"""Bytes: the registers of AVX-512 alone are some thousand."""


class _Event(ctypes.Structure):
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("number", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("thread", ctypes.c_int),
        ("rest", ctypes.c_char * (SIZE - 20)),
    )


class _Stack(ctypes.Structure):
    _fields_ = (("place", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


class _Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Spec(ctypes.Structure):
    _fields_ = (("interval", _Time), ("first", _Time))


class ThreadTimer:
    """Sends a signal to the thread that makes it, each time its process has computed for a while.

    `setitimer` lets the system choose among all threads, and one whose stack is small, as some of
    XLA's are, does not survive a signal. Raises OSError where there are no such timers; in a forked
    child there is none.
    """

    def __init__(self, number: int) -> None:
        if not sys.platform.startswith("linux") or ctypes.sizeof(ctypes.c_void_p) != 8:
            raise OSError("no timers of threads")
        self._library = _library()
        self._stack = _stack_for_signals()
        self._timer = ctypes.c_void_p()
        event = _Event(None, number, SIGEV_THREAD_ID, threading.get_native_id(), b"")
        self._check(
            self._library.timer_create(
                CLOCK_PROCESS_CPUTIME_ID, ctypes.byref(event), ctypes.byref(self._timer)
            )
        )

    def set(self, seconds: float) -> None:
        """Signal after so many seconds of computing, and again and again; 0 for no more."""
        part, whole = math.modf(seconds)
        each = _Time(int(whole), round(part * NANO))
        spec = _Spec(each, each)
        self._check(self._library.timer_settime(self._timer, 0, ctypes.byref(spec), None))

    def _check(self, failed: int) -> None:
        if failed:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))


@functools.cache
def _stack_for_signals() -> ctypes.Array[ctypes.c_char] | None:
    """Memory in which signals of the first thread that asks are handled from then on, for good.

    Compiled kernels, oneDNN's products of matrices among them, keep values where the system would
    otherwise write what it interrupts. Python's handlers ask for such a stack; if the thread has
    one, that stays.
    """
    library, old = _library(), _Stack()
    if library.sigaltstack(None, ctypes.byref(old)) or not old.flags & SS_DISABLE:
        return None
    memory = ctypes.create_string_buffer(STACK)
    new = _Stack(ctypes.addressof(memory), 0, STACK)
    return None if library.sigaltstack(ctypes.byref(new), None) else memory


def _library() -> ctypes.CDLL:
    """The one with timers: older C libraries have them apart. Raises OSError."""
    for name in (None, "librt.so.1"):
        library = ctypes.CDLL(name, use_errno=True)
        if hasattr(library, "timer_create"):
            return library
    raise OSError("no timers")
