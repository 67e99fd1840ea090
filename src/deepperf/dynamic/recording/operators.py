"""Which operator was at work when Python found time for a signal: it looks between calls alone."""

from __future__ import annotations

import dis
import sys
from types import CodeType, FrameType

CHECKS = frozenset({"RESUME", "JUMP_BACKWARD"})
"""Instructions that take no time, at which Python looks for signals."""
CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX", *CHECKS})
"""All those at which it looks: what stands before one was not at work since."""
OPERATORS = frozenset(
    {
        "BINARY_OP",
        "BINARY_SLICE",
        "BINARY_SUBSCR",
        "COMPARE_OP",
        "CONTAINS_OP",
        "FOR_ITER",
        "STORE_SLICE",
        "STORE_SUBSCR",
        "UNARY_INVERT",
        "UNARY_NEGATIVE",
        "UNARY_NOT",
        "UNPACK_SEQUENCE",
    }
)
IS_KNOWN: bool = sys.version_info >= (3, 11)
"""Before, Python looked for signals elsewhere."""
UNIT = 2


class Operators:
    """Remembers its answers; `line` is asked about frames that a signal has interrupted."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int], int | None] = {}

    def line(self, frame: FrameType) -> int | None:
        """The line of the operator that was at work before the instruction that a frame is at, 0
        for the frame's own line; None where that of its caller was."""
        key = frame.f_code, frame.f_lasti
        if key not in self._known:
            self._known[key] = _before(*key) if IS_KNOWN else 0
        return self._known[key]

    def line_of_caller(self, frame: FrameType) -> int:
        """The same of a frame whose call was just taken up; 0 where there is no operator."""
        return _operator(frame.f_code, _start(frame.f_code.co_code, frame.f_lasti) - UNIT)


def _before(code: CodeType, offset: int) -> int | None:
    words = code.co_code
    at = _start(words, offset)
    name = dis.opname[words[at]]
    if name == "RESUME":
        return None
    return _operator(code, at - UNIT) if name in CHECKS else 0


def _start(words: bytes, offset: int) -> int:
    """Where the instruction begins that an offset is in: places for its cache follow it."""
    at = max(0, offset)
    while at > 0 and dis.opname[words[at]] == "CACHE":
        at -= UNIT
    return at


def _operator(code: CodeType, offset: int) -> int:
    """The line of the last operator until an offset, of those that follow the last call."""
    words = code.co_code
    at = offset
    while at >= 0:
        name = dis.opname[words[at]]
        if name in CALLS:
            return 0
        if name in OPERATORS:
            return _line_at(code, at)
        at -= UNIT
    return 0


def _line_at(code: CodeType, offset: int) -> int:
    for begin, end, line in code.co_lines():
        if begin <= offset < end:
            return line or 0
    return 0
