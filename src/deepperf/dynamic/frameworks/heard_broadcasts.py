"""Follows what was broadcast into something much larger, operation by operation: whether it is
reduced again, whatever the operations are called, or is a result."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape

KIND = "broadcasts heard"
"""The kind under which it is noted by line."""
LARGE = 50_000_000
"""Bytes from which on what is made is worth a thought: libraries make smaller ones now and then."""
FEWEST_ELEMENTS = LARGE // 16
"""Elements that as many bytes are at least, of the widest type."""
WIDER = 8
"""How many times as large it is as what it is made of, and as what is made of it: an axis that is
so short may stay."""
AXES = 64
"""Bytes that say along which axes something is reduced. A product with other data, or a system that
is solved, needs what it is given."""
MOST_FOLLOWED = 64


class _Wide:
    """What a line has made, what became of it, and how much of both was held at once."""

    __slots__ = ("held", "reduced", "shapes", "size", "stays")

    def __init__(self, size: int, shapes: list[list[int]]) -> None:
        self.size = size
        self.held = 0
        self.shapes = shapes
        self.reduced = 0
        self.stays = False


class HeardBroadcasts:
    """The broadcasts of a framework whose operations are heard. `bytes_of` tells what a tensor
    needs by itself, 0 for anything else."""

    def __init__(self, bytes_of: Callable[[Any], int]) -> None:
        self._bytes_of = bytes_of
        self._lines: dict[Place, _Wide] = {}
        self._followed: dict[int, tuple[weakref.ref[Any], _Wide]] = {}

    def take(
        self, place: Place | None, elements: int, taken: Iterable[Any], made: Sequence[Any]
    ) -> None:
        """An operation has made so many elements; without a place, what it makes is only followed
        where it comes of what is."""
        if elements < FEWEST_ELEMENTS and not self._followed:
            return
        taken = list(taken)
        wide = next(filter(None, map(self._of, taken)), None)
        size = max(map(self._bytes_of, made), default=0)
        if wide is not None:
            others = sum(map(self._bytes_of, taken)) - self._bytes_of(self._source(taken))
            self._pass_on(wide, size, others, made)
        elif place is not None and size >= LARGE:
            sizes = [self._bytes_of(one) for one in taken]
            if WIDER * max(sizes, default=size) <= size:
                arrays = [one for one, its in zip(taken, sizes, strict=True) if its]
                shapes = [list(map(int, one.shape)) for one in (*arrays, made[0])]
                wide = self._lines.setdefault(place, _Wide(size, shapes))
                self._follow(made, wide)

    def picked(self, taken: Iterable[Any]) -> None:
        """Parts were taken of something: what is picked from is a result."""
        for wide in filter(None, map(self._of, taken)) if self._followed else ():
            wide.stays = True

    def _source(self, taken: Iterable[Any]) -> Any:
        return next(one for one in taken if self._of(one) is not None)

    def _of(self, tensor: Any) -> _Wide | None:
        found = self._followed.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def _pass_on(self, wide: _Wide, size: int, others: int, made: Sequence[Any]) -> None:
        if size * WIDER <= wide.size and others <= AXES:
            wide.reduced += bool(size)
        elif size * 2 >= wide.size:
            self._follow(made, wide)
        else:
            wide.stays = True

    def _follow(self, made: Sequence[Any], wide: _Wide) -> None:
        if len(self._followed) >= MOST_FOLLOWED:
            self._followed = {key: of for key, of in self._followed.items() if of[0]() is not None}
        for one in made if len(self._followed) < MOST_FOLLOWED else ():
            self._followed[id(one)] = (weakref.ref(one), wide)
        alive = [of() for of, its in self._followed.values() if its is wide]
        wide.held = max(wide.held, sum(self._bytes_of(one) for one in alive if one is not None))

    def note(self, tape: Tape) -> None:
        """Put on the tape what was only reduced."""
        for place, wide in list(self._lines.items()):
            if wide.reduced and not wide.stays:
                tape.note(KIND, place, count=0)
                detail = tape.detail(KIND, place)
                detail.update(
                    size=wide.size, held=wide.held, shapes=wide.shapes, times=wide.reduced
                )
