"""Tells signals of the functions that TensorFlow has traced."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.recording.tape import Tape

CALLBACKS = "CONCRETE_FUNCTION_CALLBACKS"
"""Functions that TensorFlow calls with each new graph: its debugger listens there."""
HOMES = (
    "tensorflow.python.eager.polymorphic_function.transform",
    "tensorflow.python.eager.function",
)
"""Where that list is, in new versions and in old ones: one of them, or the same in both."""

Listener = Callable[[Any, FrameType], None]


def after_tracing(tape: Tape, what: str, listener: Listener) -> None:
    """Have a signal, `what`, told of each traced function, with the frame that asks."""

    def hear(function: Any) -> None:
        if tape.active:
            frame = sys._getframe(1)
            tape.guarded(what, lambda: listener(function, frame))

    for home in HOMES:
        tape.imports.after(home, functools.partial(_listen, hear))


def _listen(hear: Callable[[Any], None], module: ModuleType) -> None:
    callbacks = getattr(module, CALLBACKS, None)
    if callbacks is not None and hear not in callbacks:
        callbacks.append(hear)
