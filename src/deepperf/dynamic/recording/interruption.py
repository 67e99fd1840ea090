"""Has the main thread do something, between two instructions of whatever it runs."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class Interruption:
    """`work` is given the frame that it interrupts, which it must let go. It must not raise."""

    def __init__(self, work: Callable[[FrameType], None]) -> None:
        self._work = work
        # Kept, since C calls it.
        self._call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._interrupt)

    def ask(self) -> None:
        """Have it done soon; asked by another thread."""
        ctypes.pythonapi.Py_AddPendingCall(self._call, None)

    def _interrupt(self, _unused: Any = None) -> int:
        self._work(sys._getframe(1))
        return 0
