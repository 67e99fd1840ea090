"""Lines of the user's code while TensorFlow builds a graph, seen through what AutoGraph wrote."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from deepperf.dynamic.recording.places import Place, UserCode

TRACED_FROM = "func_graph_from_py_func"
"""What TensorFlow calls to trace a function: who calls it asked for the whole graph."""


def stack_now() -> Sequence[Any]:
    """The frames of the caller, outermost first; none where TensorFlow is not loaded."""
    module = sys.modules.get("tensorflow.python.util.tf_stack")
    return [] if module is None else list(module.extract_stack())


def innermost(code: UserCode, frames: Sequence[Any]) -> Place | None:
    """The user's line that is furthest in."""
    return _first(code, reversed(frames))


def asked_from(code: UserCode, frames: Sequence[Any]) -> Place | None:
    """The user's line that asked for the graph that is being traced; None where none is."""
    for number, frame in enumerate(frames):
        if frame.name == TRACED_FROM:
            return _first(code, reversed(frames[:number]))
    return None


def _first(code: UserCode, frames: Iterable[Any]) -> Place | None:
    for frame in frames:
        path = code.path_of(frame.filename)
        if path:
            return Place(path, frame.lineno, frame.name)
    return None
