"""Other threads' frames, looked at without harm."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator
from types import FrameType

MAKES_FRAMES_LATE: bool = sys.version_info[:2] == (3, 11)
"""Whether Python makes the objects for frames when asked for them, and collects garbage then."""


def frames_of_others() -> dict[int, FrameType]:
    """The innermost frame of each thread but the one that asks.

    Its own would be part of a circle with the variable that holds the answer, and with it all that
    the functions of the program held would be kept until garbage is collected.
    """
    found = sys._current_frames()
    del found[threading.get_ident()]
    return found


@contextlib.contextmanager
def frames_that_stay() -> Iterator[None]:
    """Collect no garbage while another thread's frames are looked at.

    Python 3.11 makes the objects that stand for frames when they are asked for. Where that
    collects garbage, finalizers may let the other thread run, and return from the very function
    whose frame is being made: then its memory is written to though it is something else by now.
    From 3.12 on nothing is collected there; before 3.11 frames were objects from the start.
    """
    if not (MAKES_FRAMES_LATE and gc.isenabled()):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
