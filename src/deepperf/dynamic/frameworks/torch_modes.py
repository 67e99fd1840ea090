"""PyTorch's stack of modes: one of ours that hears of operations, and when it is left alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.recording.cost import reading
from deepperf.dynamic.recording.unseen import Lines, hide
from deepperf.dynamic.recording.windows import Windows

OVERRIDES = "torch/overrides.py"
MODE_FILES = (OVERRIDES, "torch/utils/_device.py", "contextlib.py")
MODE_USES = ("handle_torch_function", "_pop_mode", "_push_mode", "_pop_torch_function_stack")
NEAREST = 4
"""Frames between where a mode is used and where it was asked for."""


def listening_mode(overrides: ModuleType, windows: Windows, hear: Callable[..., None]) -> Any:
    """A mode that tells of each operation after it was done, and changes none; what that costs
    beside the operation itself, windows are charged with."""
    base: Any = overrides.TorchFunctionMode
    lines = Lines()

    class Mode(base):  # type: ignore[misc]
        def __torch_function__(
            self,
            func: Any,
            types: Any,
            args: Any = (),
            kwargs: Any = None,
        ) -> Any:
            told = windows.hears()
            frame = sys._getframe(1)
            caller = _caller(func, frame)
            working = time.thread_time() if told else 0.0
            begin = time.perf_counter()
            made = lines.call(caller, func, args, kwargs or {})
            seconds = time.perf_counter() - begin
            if told:
                told += time.thread_time() - working + reading()
            hear(func, args, kwargs or {}, made, seconds, frame)
            windows.heard(told)
            return made

    hide(Mode.__torch_function__)
    return Mode()


def _caller(function: Any, frame: FrameType) -> FrameType:
    """The frame that asks for an operation, where what is asked hands it to a mode itself."""
    asking: FrameType | None = frame
    while asking is not None and asking.f_code.co_filename.endswith(OVERRIDES):
        asking = asking.f_back
    if asking is not None and asking.f_code is getattr(function, "__code__", None):
        asking = asking.f_back
    return asking or frame


def uses_modes(frame: FrameType | None) -> bool:
    """Whether what was interrupted may have asked whether there is a mode, and is about to use it.

    That is a function that names what is then called, or what that calls in turn.
    """
    for _ in range(NEAREST):
        if frame is None:
            return False
        code = frame.f_code
        if code.co_filename.endswith(MODE_FILES) or any(one in code.co_names for one in MODE_USES):
            return True
        frame = frame.f_back
    return False
