"""A PyTorch optimizer is created again in every step, without the moments of the previous one."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Iterator
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.torch_compiling import after_optimizer_steps
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "optimizer-per-step"
RULES = ()
SYMPTOMS = ("slow-execution",)
FEWEST = 16
"""Optimizers from one line: folds, restarts and searches are fewer, or train each longer."""
STEPS_EACH = 2
"""Steps for each optimizer up to which it is made for the step."""


def watch(tape: Tape) -> None:
    """Count what each line makes, and the steps meanwhile."""
    steps = _Steps()
    after_optimizer_steps(tape, steps.ended)
    tape.imports.after("torch.optim.optimizer", functools.partial(_watch, tape, steps))


class _Steps:
    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def ended(self, _optimizer: Any) -> None:
        self.count += 1


def _watch(tape: Tape, steps: _Steps, module: Any) -> None:
    cls = module.Optimizer
    make = cls.__init__

    @standing_for(make)
    def made(self: Any, *arguments: Any, **named: Any) -> None:
        begin, imported = time.perf_counter(), tape.imports.seconds
        make(self, *arguments, **named)
        if tape.active:
            # The first one imports what compiles steps.
            seconds = time.perf_counter() - begin - (tape.imports.seconds - imported)
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, self, steps.count, seconds, frame))

    cls.__init__ = made


def _note(tape: Tape, optimizer: Any, steps: int, seconds: float, frame: Any) -> None:
    place = tape.code.place(frame)
    if place is None:
        return
    tape.note(NAME, place, seconds=seconds)
    detail = tape.detail(NAME, place)
    detail.setdefault("first", steps)
    detail["last"] = steps
    parameters = optimizer.param_groups[0]["params"]
    detail["same"] = detail.get("same", 0) + (detail.get("of") == id(parameters[0]))
    detail["of"] = id(parameters[0])
    detail["name"] = type(optimizer).__name__
    detail["defaults"] = [name for name in ("betas", "momentum") if optimizer.defaults.get(name)]


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that make an optimizer of the same weights for nearly each step."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < FEWEST or seen.detail["same"] * 2 < seen.count:
            continue
        steps = seen.detail["last"] - seen.detail["first"]
        if steps > STEPS_EACH * seen.count:
            continue
        share = share_of_seconds(trace, seen.seconds)
        forgets = bool(seen.detail["defaults"])
        name = seen.detail["name"]
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-api-usage",
            message=f"`{name}` is created again in every step",
            evidence=(
                f"{seen.count:,} of the same weights within {steps:,} steps, in "
                f"{seen.seconds:.2f} s"
                + ("; each starts without the moments of the previous one" if forgets else "")
            ),
            remedy="create it once, before the loop",
            # What it forgets takes more steps to reach the same, and no clock tells how many.
            weight=Weight.TIME if share >= FLOOR else Weight.HINT,
            share=share,
        )
