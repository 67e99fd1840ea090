"""Modules that are given the same tensor again, unchanged, while nobody trains them."""

from __future__ import annotations

import weakref
from typing import Any

from deepperf.dynamic.frameworks.torch_given import is_plain

MOST_QUESTIONS = 3
"""Tensors that are remembered of a module: those that it is given in turn."""


class AskedAgain:
    """Remembers by weak references alone what each module was given last."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._questions: weakref.WeakKeyDictionary[Any, list[_Question]] = (
            weakref.WeakKeyDictionary()
        )
        self._found: weakref.WeakSet[Any] = weakref.WeakSet()

    def is_one(self, module: Any, arguments: tuple[Any, ...]) -> bool:
        """Whether a module that is about to be called has ever been given a tensor once more."""
        if module.training or not arguments:
            return False
        given = arguments[0]
        # A mode of the program's would hear of what is asked.
        with self._torch._C.DisableTorchFunction():
            version = _version_of(given) if is_plain(self._torch, given) else None
        if version is None:
            return False
        if module in self._found:
            return True
        known = self._questions.setdefault(module, [])
        for one in known:
            if one.given() is given and one.version == version:
                self._found.add(module)
                return True
        known.append(_Question(given, version))
        del known[:-MOST_QUESTIONS]
        return False


class _Question:
    __slots__ = ("given", "version")

    def __init__(self, given: Any, version: int) -> None:
        self.given = weakref.ref(given)
        self.version = version


def _version_of(tensor: Any) -> int | None:
    """How often a tensor was changed; None of one that does not count that."""
    try:
        return int(tensor._version)
    except RuntimeError:
        return None
