"""Leaves out of what is heard of PyTorch what an optimizer of a library does in each step."""

from __future__ import annotations

import contextlib
import inspect
import weakref
from typing import Any

from deepperf.dynamic.recording.places import UserCode
from deepperf.dynamic.recording.windows import Windows


class UnheardSteps:
    """Takes a mode off PyTorch's stack of modes while such an optimizer steps, most of whose
    operations it would be told of: they are always the same, and are counted once.

    `heard` is how many operations were heard so far, kept by who hears of them.
    """

    def __init__(self, code: UserCode, windows: Windows, overrides: Any) -> None:
        self.heard = 0
        self.is_switching = False
        self._code = code
        self._windows = windows
        self._overrides = overrides
        self._mode: Any = None
        self._unheard: Any = None
        self._counted: tuple[Any, int] | None = None
        self._known: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._is_library: dict[type, bool] = {}

    def begin(self, mode: Any) -> None:
        """The mode is what is to be taken off."""
        self._mode = mode

    def stepping(self, optimizer: Any, arguments: Any, named: Any) -> None:
        """An optimizer is about to step."""
        if not self._windows.is_open:
            return
        # While one of the two is done, nothing may open or close a window.
        self.is_switching = True
        with contextlib.suppress(Exception):
            # What a closure does is the program's own.
            if len(arguments) < 2 and not named:
                self._step(optimizer)
        self.is_switching = False

    def _step(self, optimizer: Any) -> None:
        if not self._is_on() or not self._is_of_library(type(optimizer)):
            return
        if optimizer in self._known:
            self._overrides._pop_mode()
            self._unheard = optimizer
        else:
            self._counted = optimizer, self.heard

    def stepped(self, optimizer: Any) -> int:
        """It has: how many operations were not heard of it, as far as is known."""
        if self._unheard is None and self._counted is None:
            return 0
        self.is_switching = True
        try:
            return self._stepped(optimizer)
        finally:
            self.is_switching = False

    def _stepped(self, optimizer: Any) -> int:
        counted, self._counted = self._counted, None
        if self._unheard is optimizer:
            # Above another's mode, leaving that first would take ours away: at a later step then.
            if not self._overrides._get_current_function_mode_stack():
                self._unheard = None
                self._overrides._push_mode(self._mode)
            return self._known.get(optimizer, 0)
        is_whole = self._is_on() and not self._windows.is_enough()
        if counted is not None and counted[0] is optimizer and is_whole:
            self._known[optimizer] = self.heard - counted[1]
        return 0

    def closed(self) -> bool:
        """Whether the mode is off the stack for a step, and then is to stay so."""
        is_off, self._unheard = self._unheard is not None, None
        return is_off

    def _is_on(self) -> bool:
        return bool(self._overrides._get_current_function_mode_stack() == [self._mode])

    def _is_of_library(self, cls: type) -> bool:
        known = self._is_library.get(cls)
        if known is None:
            step: Any = getattr(cls, "step", None)
            code = getattr(inspect.unwrap(step), "__code__", None)
            known = code is not None and not self._code.path_of(code.co_filename)
            self._is_library[cls] = known
        return known
