"""Other threads' frames, looked at without harm."""

from __future__ import annotations

import contextlib
import gc
import itertools
import sys
import threading
import time
from collections.abc import Collection, Iterator
from types import FrameType

MAKES_FRAMES_LATE: bool = sys.version_info[:2] == (3, 11)
"""Whether Python makes the objects for frames when asked for them, and collects garbage then."""
COLLECTS_ANYWHERE: bool = sys.version_info < (3, 12)
"""Whether garbage may be collected wherever memory is asked for."""


def frames_of_others() -> dict[int, FrameType]:
    """The innermost frame of each thread but the one that asks.

    Its own would be part of a circle with the variable that holds the answer, and with it all that
    the functions of the program held would be kept until garbage is collected.
    """
    found = sys._current_frames()
    del found[threading.get_ident()]
    return found


def clocks_of_strangers(known: Collection[int]) -> dict[int, int]:
    """The clocks of the threads that run Python but for those whose numbers are known; to be asked
    for within `frames_that_stay`.

    A thread's clock is read from memory that is the thread's own, so it must not end meanwhile. One
    that has a frame cannot without the interpreter's lock, which this holds throughout: all is done
    within one call of C code, where no instruction of Python's gives it up.
    """
    if not (hasattr(time, "pthread_getcpuclockid") and has_lock()):
        return {}
    asked = itertools.starmap(sys._current_frames, ((),))
    running = itertools.chain.from_iterable(asked)
    numbers, same = itertools.tee(itertools.filterfalse(known.__contains__, running))
    try:
        return dict(zip(numbers, map(time.pthread_getcpuclockid, same), strict=False))
    except OSError:
        return {}


def has_lock() -> bool:
    """Whether Python's threads share a lock, as all did before 3.13."""
    is_enabled = getattr(sys, "_is_gil_enabled", None)
    return is_enabled is None or bool(is_enabled())


@contextlib.contextmanager
def frames_that_stay() -> Iterator[None]:
    """Collect no garbage while another thread's frames are looked at.

    Python 3.11 makes the objects that stand for frames when they are asked for. Where that
    collects garbage, finalizers may let the other thread run, and return from the very function
    whose frame is being made: then its memory is written to though it is something else by now.
    From 3.12 on nothing is collected there. Before 3.11 frames were objects from the start, but a
    thread whose clock is asked for could end.
    """
    if not (COLLECTS_ANYWHERE and gc.isenabled()):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
