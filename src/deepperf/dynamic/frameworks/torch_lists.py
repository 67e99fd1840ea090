"""Tensors that lines make of lists of arrays, or of long lists of numbers, one by one."""

from __future__ import annotations

from typing import Any

LISTED = "listed arrays"
"""The kind under which they are noted."""
MAKES = ("tensor", "as_tensor")
PARTS = 4
"""Arrays of a list: fewer are a pair or a triple."""
NUMBERS = "numbers"
MANY = 4096
"""Numbers of a list from which on they must have come from something that held them all."""


class Listed:
    """Tensors that a line made of such lists."""

    __slots__ = ("numbers", "parts", "seconds", "times")

    def __init__(self, parts: str) -> None:
        self.parts = parts
        self.times = self.numbers = 0
        self.seconds = 0.0

    def told(self, whole: float) -> dict[str, Any]:
        """What a trace keeps of it, with its part of what the line took as a whole."""
        detail: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return {**detail, "part": self.seconds / whole if whole else 0.0}


def parts_listed(tensors: tuple[type, ...], given: Any) -> str:
    """What a list is of, if it is of arrays, of tensors, or of very many numbers; else ""."""
    if not isinstance(given, (list, tuple)) or len(given) < PARTS:
        return ""
    kind = type(given[0])
    if kind in (float, int, list):
        return NUMBERS if _numbers_in(given) >= MANY else ""
    if kind in tensors:
        return "tensors"
    is_array = kind.__name__ == "ndarray" and kind.__module__ == "numpy"
    return "arrays" if is_array and given[0].size > 1 else ""


def _numbers_in(given: Any) -> int:
    """About how many numbers a list holds, or lists of them within each other: as many in each as
    in the first, or it would be no tensor."""
    count = 1
    while type(given) in (list, tuple) and given:
        count *= len(given)
        given = given[0]
    return count if type(given) in (float, int) else 0
