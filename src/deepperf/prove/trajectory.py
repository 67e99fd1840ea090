"""The losses of a training, where they can be read: what gradients are computed from, and what
Keras tells of an epoch.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from deepperf.dynamic.frameworks.step_hooks import CALLBACK_LISTS
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

MOST_KEPT = 64
"""Losses of which the numbers are kept; of more, each second, fourth, … one."""
PARTS = 8
"""Parts of a training, of the losses of each of which the mean is compared: single losses part
sooner than what is made of them, by rounding alone."""
LEAST_PART = 0.1
"""What part of the largest loss others are at least held to: what is nearly nothing is noise."""


@dataclass(frozen=True, slots=True)
class Losses:
    """How many losses a run had, and some of them, evenly spread."""

    count: int = 0
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The losses that runs of the unchanged program have in common; `stable` are the numbers, from
    0, of the parts of its training in which they are the same in each."""

    losses: Losses
    stable: tuple[int, ...]


UNREAD = Trajectory(Losses(), ())
"""What is expected of a program whose losses are not read."""


class Keeper:
    """Keeps losses as a program computes them. A tensor is read when the program has ended: until
    then nobody waits for it."""

    def __init__(self) -> None:
        self._count = 0
        self._every = 1
        self._kept: list[Any] = []

    def note(self, loss: Any) -> None:
        """Keep it if it is its turn: a number, or a tensor with one."""
        if self._count % self._every == 0:
            if len(self._kept) == MOST_KEPT:
                del self._kept[1::2]
                self._every *= 2
            if self._count % self._every == 0:
                self._kept.append(loss.detach().clone() if hasattr(loss, "detach") else loss)
        self._count += 1

    def told(self) -> dict[str, Any]:
        """As `Losses`; a number that JSON has no word for is told as text."""
        return {"count": self._count, "values": [str(float(one)) for one in self._kept]}


def watch(tape: Tape, keeper: Keeper) -> None:
    """Have losses kept as soon as a framework is there."""
    tape.imports.after("torch", functools.partial(_watch_gradients, tape, keeper))
    for home in CALLBACK_LISTS:
        tape.imports.after(home, functools.partial(_watch_epochs, tape, keeper))


def _watch_gradients(tape: Tape, keeper: Keeper, torch: Any) -> None:
    compute = torch.autograd.backward
    is_compiling: Any = getattr(torch.compiler, "is_compiling", lambda: False)

    @standing_for(compute)
    def computed(tensors: Any, *arguments: Any, **named: Any) -> Any:
        # Where PyTorch compiles what calls it this must be nothing.
        if not is_compiling():
            tape.guarded("the losses", functools.partial(_note, keeper, tensors))
        return compute(tensors, *arguments, **named)

    torch.autograd.backward = computed


def _note(keeper: Keeper, tensors: Any) -> None:
    one = tensors if hasattr(tensors, "numel") else next(iter(tensors), None)
    if one is not None and one.numel() == 1 and not one.is_complex():
        keeper.note(one)


def _watch_epochs(tape: Tape, keeper: Keeper, module: Any) -> None:
    cls = module.CallbackList
    end = cls.on_epoch_end

    @standing_for(end)
    def ended(self: Any, epoch: Any, logs: Any = None) -> Any:
        tape.guarded("the losses", functools.partial(_note_logs, keeper, logs))
        return end(self, epoch, logs)

    cls.on_epoch_end = ended


def _note_logs(keeper: Keeper, logs: Any) -> None:
    for _, value in sorted((logs or {}).items()):
        if hasattr(value, "__float__"):
            keeper.note(float(value))


def in_common(runs: Sequence[Losses], tolerance: float) -> Trajectory:
    """What the losses of several runs have in common; nothing where there are more in some."""
    first = runs[0]
    if len({run.count for run in runs}) > 1:
        return UNREAD
    parts = [_parts(run) for run in runs]
    stable = [
        at
        for at in range(len(parts[0]))
        if all(_is_near(parts[0], other, at, tolerance) for other in parts)
    ]
    return Trajectory(first, tuple(stable))


def parting(expected: Trajectory, run: Losses, tolerance: float) -> str:
    """Where the losses of a run part from what is expected, in words; "" where they do not.

    Those of a run that has more or fewer of them are not held against each other.
    """
    if run.count != expected.losses.count:
        return ""
    before, after = _parts(expected.losses), _parts(run)
    for at in expected.stable:
        if not _is_near(before, after, at, tolerance):
            where = f"in part {at + 1} of {len(before)} of its training"
            return f"its loss is {after[at]:.6g} where {before[at]:.6g} was, {where}"
    return ""


def _parts(losses: Losses) -> tuple[float, ...]:
    """The mean loss of each part of a training."""
    values = losses.values
    number = min(PARTS, len(values))
    ends = [len(values) * part // number for part in range(number + 1)] if number else []
    return tuple([sum(values[a:b]) / (b - a) for a, b in pairwise(ends)])


def _is_near(one: Sequence[float], other: Sequence[float], at: int, tolerance: float) -> bool:
    was, now = one[at], other[at]
    if math.isnan(was) or math.isnan(now):
        return math.isnan(was) and math.isnan(now)
    if math.isinf(was) or math.isinf(now):
        return was == now
    largest = max((abs(value) for value in one if math.isfinite(value)), default=0.0)
    return abs(was - now) <= tolerance * max(abs(was), abs(now), LEAST_PART * largest)
