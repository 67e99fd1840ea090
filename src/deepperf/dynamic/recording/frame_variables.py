"""The variables of the user's frames, read without leaving anything behind in them."""

from __future__ import annotations

import dis
import functools
import inspect
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from deepperf.dynamic.recording.places import DEEPEST, UserCode

LOOKING = ("locals", "vars", "eval", "exec", "dir")
"""What a function that asks for its own variables calls: it would see ours of them change."""
MOST_VARIABLES = 400
"""Of a frame; a namespace that holds more is nobody's loop."""
MOST_ATTRIBUTES = 100


def user_frames(code: UserCode, frame: FrameType | None) -> Iterator[FrameType]:
    """The frames of the user's in a stack, innermost first."""
    for _ in range(DEEPEST):
        if frame is None:
            return
        if code.path_of(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def variables(frame: FrameType) -> dict[str, Any]:
    """Variables by name, and the attributes of `self` as `self.name`."""
    found = own_variables(frame)
    attributes = getattr(found.get("self"), "__dict__", None)
    if isinstance(attributes, dict) and len(attributes) <= MOST_ATTRIBUTES:
        found.update({f"self.{name}": value for name, value in list(attributes.items())})
    return found


def named_globals(frame: FrameType, *inner: CodeType) -> dict[str, Any]:
    """The variables of a frame's module that its code names, or code within it."""
    known = frame.f_globals
    named = {name for code in (frame.f_code, *inner) for name in code.co_names}
    return {name: known[name] for name in named if name in known}


def own_variables(frame: FrameType) -> dict[str, Any]:
    """Variables by name; none of a function that would see ours of them change."""
    if not frame.f_code.co_flags & inspect.CO_NEWLOCALS:
        found = frame.f_locals if len(frame.f_locals) <= MOST_VARIABLES else {}
        return dict(found)
    # What a debugger sees of a frame, it writes back.
    if frame.f_trace is not None or _looks_at_itself(frame.f_code):
        return {}
    seen = frame.f_locals
    found = dict(seen)
    if sys.version_info < (3, 13):
        # The frame keeps what it was asked for, and with it all that the variables hold.
        seen.clear()
    return found


@functools.lru_cache(maxsize=256)
def _looks_at_itself(code: CodeType) -> bool:
    """Whether a function calls one that sees its variables; `model.eval()` is none."""
    if not any(name in code.co_names for name in LOOKING):
        return False
    return any(
        one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and one.argval in LOOKING
        for one in dis.get_instructions(code)
    )
