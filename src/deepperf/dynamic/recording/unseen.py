"""Lets functions of ours stand between a program and a library without a warning naming them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeVar

UNSEEN = os.path.join(os.path.dirname(os.path.dirname(__file__)), "importlib._bootstrap")
"""What Python takes for a file of its import system, by two words in the name: its frames are not
counted when a warning says how many levels up the line is that it is about."""
MOST_LINES = 5000

Wrapper = TypeVar("Wrapper", bound=Callable[..., Any])


def standing_for(original: Callable[..., Any]) -> Callable[[Wrapper], Wrapper]:
    """Make a function look like the one that it calls, also to what counts frames."""

    def dressed(wrapper: Wrapper) -> Wrapper:
        hide(wrapper)
        functools.update_wrapper(wrapper, original)
        return wrapper

    return dressed


def hide(function: Any) -> None:
    """Have warnings count no frame of a function."""
    function.__code__ = function.__code__.replace(co_filename=UNSEEN)


def _call(asked_function: Any, its_arguments: Any, its_names: Any) -> Any:
    return asked_function(*its_arguments, **its_names)


CALL = _call.__code__


def is_stand_in(code: CodeType) -> bool:
    """Whether it was made by `Lines`."""
    return code.co_varnames == CALL.co_varnames


class Lines:
    """Calls functions as lines of the program would, that of which C code warns is the line."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int], FunctionType] = {}

    def call(self, frame: FrameType, function: Any, arguments: Any, named: Any) -> Any:
        """Call a function as the line does that a frame is at."""
        key = frame.f_code, frame.f_lineno
        known = self._known.get(key)
        if known is None or known.__globals__ is not frame.f_globals:
            if len(self._known) >= MOST_LINES:
                self._known.clear()
            code = CALL.replace(
                co_filename=frame.f_code.co_filename,
                co_name=frame.f_code.co_name,
                # The call stands in the line after the first.
                co_firstlineno=frame.f_lineno - 1,
            )
            known = self._known[key] = FunctionType(code, frame.f_globals)
        return known(function, arguments, named)
