"""What is heard of a framework's operations, summed up by the user's line that asked for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Generic, TypeVar

from deepperf.dynamic.recording.places import DEEPEST, Place, UserCode, place_in

FEWEST = 32
"""Operations of one kind from one line, among those heard: about the turns of its loop, and fewer
are over in a moment."""
LARGER = 4
"""How many times as large as what is looked up an array is that is looked into."""
MOST_CALLERS = 4
"""Lines of the user's that are kept of what led to an operation: the loop may stand in any."""
MOST_KINDS = 8
"""Kinds of operations that are told of a line."""


class Heard:
    """What one line asked for: `calls` of larger things, and `count` operations of its own."""

    __slots__ = (
        "callers",
        "calls",
        "count",
        "elements",
        "kinds",
        "picked",
        "picks",
        "times",
    )

    def __init__(self) -> None:
        self.callers: list[Place] = []
        self.times = self.calls = self.count = self.elements = self.picks = self.picked = 0
        self.kinds: Counter[str] = Counter()

    def came_from(self, code: UserCode, frame: FrameType) -> None:
        """Learn what led to the line that runs in `frame`."""
        self.callers = code.stack(frame.f_back)[:MOST_CALLERS]

    def told(self) -> dict[str, Any]:
        """What a trace keeps of it."""
        return {
            "heard": self.count,
            "calls": self.calls,
            "elements": self.elements,
            "picks": self.picks,
            "picked": self.picked,
            "kinds": dict(self.kinds.most_common(MOST_KINDS)),
        }


HeardThere = TypeVar("HeardThere", bound=Heard)


class HeardLines(Generic[HeardThere]):
    """The lines that were heard of, each with what `make` makes for it; `last` is the one that was
    asked about last."""

    def __init__(self, code: UserCode, make: Callable[[], HeardThere]) -> None:
        self._code = code
        self._make = make
        self._lines: dict[Place, HeardThere] = {}
        self.last: Place | None = None

    def __iter__(self) -> Iterator[tuple[Place, HeardThere]]:
        return iter(list(self._lines.items()))

    def asked_by(self, frame: FrameType | None) -> tuple[HeardThere | None, list[str]]:
        """What was heard of the user's line that led to `frame`, None where there is none, and the
        files of the framework between them, the innermost first."""
        code = self._code
        between: list[str] = []
        for _ in range(DEEPEST):
            if frame is None:
                break
            file = frame.f_code.co_filename
            path = code.path_of(file)
            if path:
                place = self.last = place_in(path, frame)
                return self._heard(place, frame), between
            between.append(file)
            frame = frame.f_back
        return None, between

    def _heard(self, place: Place, frame: FrameType) -> HeardThere:
        seen = self._lines.get(place)
        if seen is None:
            seen = self._lines[place] = self._make()
        seen.times += 1
        if seen.times & (seen.times - 1) == 0:
            # Now and then: a function may first be called from elsewhere than from its loop.
            seen.came_from(self._code, frame)
        return seen
