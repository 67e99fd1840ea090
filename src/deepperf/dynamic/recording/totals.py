"""Running totals of a process, such as its time, without what is added to them in pauses."""

from __future__ import annotations

from collections.abc import Callable


class Totals:
    """Reads several totals at once, and tells what was added to each since it was at `zero`."""

    def __init__(
        self, read: Callable[[], tuple[float, ...]], zero: tuple[float, ...] | None = None
    ) -> None:
        self._read = read
        self._zero = self._first = zero or read()
        self._paused: tuple[float, ...] | None = None

    @property
    def now(self) -> tuple[float, ...]:
        """What was added so far, outside of pauses."""
        current = self._paused or self._read()
        return tuple(one - zero for one, zero in zip(current, self._zero, strict=True))

    @property
    def skipped(self) -> float:
        """What was added to the first of them in pauses."""
        current = self._paused or self._read()
        return self._read()[0] - current[0] + self._zero[0] - self._first[0]

    def pause(self) -> None:
        """Count nothing until `resume`."""
        self._paused = self._paused or self._read()

    def resume(self) -> tuple[float, ...]:
        """Count again; what was added in the meantime."""
        current = self._read()
        paused, self._paused = self._paused or current, None
        missed = tuple(one - then for one, then in zip(current, paused, strict=True))
        self._zero = tuple(zero + one for zero, one in zip(self._zero, missed, strict=True))
        return missed
