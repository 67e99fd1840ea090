"""When the accelerator was done with each step: the host is ahead of it, by more or fewer steps."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

MOST_MARKS = 512
"""Marks that are kept: with more steps, of every second, fourth, ... step only."""
FEWEST = 4
"""Steps from which on there is a middle to measure from."""


@dataclass(frozen=True, slots=True)
class Paced:
    """How many steps there were, and the seconds for one of them, from the middle of them on.

    `step` is until the last step, `rest` until the end of the program, whatever it does between
    and after the steps.
    """

    count: int
    step: float
    rest: float


class DeviceClock:
    """Marks in the accelerator's own queue, one behind each step, which nobody waits for.

    A clock of the host would tell when a step was sent off. How far it is ahead differs from
    change to change: fewer and larger kernels let it send off more of them.
    """

    __slots__ = ("_count", "_marks", "_stride")

    def __init__(self) -> None:
        self._count = 0
        self._stride = 1
        self._marks: list[tuple[int, Any]] = []

    def tick(self) -> None:
        """A step was sent off."""
        number, self._count = self._count, self._count + 1
        cuda = _cuda()
        if cuda is None or number % self._stride or cuda.is_current_stream_capturing():
            return
        mark = cuda.Event(enable_timing=True)
        mark.record()
        self._marks.append((number, mark))
        if len(self._marks) > MOST_MARKS:
            self._stride *= 2
            self._marks = [one for one in self._marks if one[0] % self._stride == 0]

    def paced(self) -> Paced | None:
        """What the marks say at the end of the program; None where they cannot tell."""
        cuda = _cuda()
        late = [mark for mark in self._marks if mark[0] >= self._count // 2]
        if cuda is None or self._count < FEWEST or len(late) < 2 or not _is_alone(cuda):
            return None
        cuda.synchronize()
        end = cuda.Event(enable_timing=True)
        end.record()
        end.synchronize()
        (first, begin), (last, stop) = late[0], late[-1]
        step = begin.elapsed_time(stop) / 1000 / (last - first)
        rest = begin.elapsed_time(end) / 1000 / (self._count - 1 - first)
        return Paced(self._count, step, rest)


def wait() -> None:
    """Until the accelerator is done with what it was sent."""
    cuda = _cuda()
    if cuda is not None:
        cuda.synchronize()


def _cuda() -> Any:
    """What PyTorch knows of CUDA; None where the program has not used it."""
    torch: Any = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_initialized() else None


def _is_alone(cuda: Any) -> bool:
    """Whether all work was on the device whose queue has the marks."""
    used = [n for n in range(cuda.device_count()) if cuda.max_memory_allocated(n)]
    return used == [cuda.current_device()]
