"""Answers for all positions of a sequence of which one is used: logits over a whole vocabulary."""

from __future__ import annotations

from typing import Any

from deepperf.dynamic.frameworks.torch_transfers import PRODUCTS
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape

ONE_USED = "one position used"
"""The kind under which it is noted at the line that computes such answers."""
WIDEST = 1000
"""Numbers for a position from which on it is a vocabulary."""
LONGEST = 8
"""Positions from which on those that nobody uses are what takes the time."""


class _Line:
    """What a line computed, what all of its operations took, and how often one position of it was
    used, or more."""

    __slots__ = ("picked", "positions", "seconds", "times", "used", "width")

    def __init__(self) -> None:
        self.times = self.picked = self.used = self.positions = self.width = 0
        self.seconds = 0.0


class Positions:
    """Follows each such answer until the next one."""

    def __init__(self) -> None:
        self._lines: dict[Place, _Line] = {}
        self._all: dict[Place, float] = {}
        self._last: tuple[int, _Line] | None = None

    def made(self, name: str, made: Any, place: Place, seconds: float) -> None:
        """An operation that some line has asked for has returned a tensor."""
        self._all[place] = self._all.get(place, 0.0) + seconds
        if name not in PRODUCTS or made.dim() != 3 or made.requires_grad:
            return
        if made.size(1) >= LONGEST and made.size(2) >= WIDEST:
            line = self._lines.setdefault(place, _Line())
            line.times += 1
            line.seconds += seconds
            line.positions, line.width = made.size(1), made.size(2)
            self._last = made.data_ptr(), line

    def used(self, name: str, given: Any, made: Any) -> None:
        """A line of the user's has worked with a tensor."""
        if self._last is None or given.data_ptr() != self._last[0] or given.dim() != 3:
            return
        line = self._last[1]
        if name == "__getitem__" and made.numel() * given.size(1) == given.numel():
            line.picked += 1
        else:
            line.used += 1
        self._last = None

    def note(self, tape: Tape) -> None:
        """Put on the tape what is known so far."""
        for place, line in self._lines.items():
            tape.note(ONE_USED, place, count=0)
            detail = {name: getattr(line, name) for name in line.__slots__}
            tape.detail(ONE_USED, place).update(detail, all=self._all[place])
