"""Answers for all positions of a sequence of which one is used: logits over a whole vocabulary."""

from __future__ import annotations

import weakref
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


HANDED_ON = ("__getitem__", "contiguous", "detach", "float", "reshape", "to", "view")
"""What a library does to answers before it returns them."""


class _Line:
    """What a line computed, what all of its operations took, and how often one position of it was
    used, or more."""

    __slots__ = ("picked", "positions", "seconds", "times", "used", "width")

    def __init__(self) -> None:
        self.times = self.picked = self.used = self.positions = self.width = 0
        self.seconds = 0.0


class _Answer:
    """The last of these, and what was done with it so far."""

    __slots__ = ("is_picked", "is_used", "line", "made")

    def __init__(self, made: Any, line: _Line) -> None:
        self.made = weakref.ref(made)
        self.line = line
        self.is_picked = self.is_used = False

    def settle(self) -> None:
        """There is another now."""
        self.line.used += self.is_used
        self.line.picked += self.is_picked and not self.is_used


class Positions:
    """Follows each such answer until the next one."""

    def __init__(self) -> None:
        self._lines: dict[Place, _Line] = {}
        self._all: dict[Place, float] = {}
        self._last: _Answer | None = None

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
            if self._last is not None:
                self._last.settle()
            self._last = _Answer(made, line)

    def used(self, name: str, given: Any, made: Any) -> None:
        """A line of the user's has worked with a tensor."""
        last = self._of(given)
        if last is None:
            return
        if name == "__getitem__" and made.numel() * given.size(1) == given.numel():
            last.is_picked = True
        else:
            last.is_used = True

    def used_within(self, name: str, given: Any) -> None:
        """A library has, such as for its own loss: what only hands it on is no use of it."""
        last = self._of(given)
        if last is not None and name not in HANDED_ON:
            last.is_used = True

    def _of(self, given: Any) -> _Answer | None:
        """What a tensor is, or is another view of."""
        made = None if self._last is None else self._last.made()
        if made is None:
            return None
        is_whole = given is made or (given._base is made and given.numel() == made.numel())
        return self._last if is_whole else None

    def note(self, tape: Tape) -> None:
        """Put on the tape what is known so far."""
        for place, line in self._lines.items():
            tape.note(ONE_USED, place, count=0)
            detail = {name: getattr(line, name) for name in line.__slots__}
            tape.detail(ONE_USED, place).update(detail, all=self._all[place])
