"""The `Trainer` of Hugging Face stops every few steps to evaluate, or to save."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "trainer-pauses"
RULES: tuple[str, ...] = ()
FEWEST = 8
"""Pauses: fewer cost what they cost once, and a short trial has some at its end."""
SHORTEST_EPOCH = 3
"""Pauses in an epoch from which on they are made by steps: one belongs to each epoch."""


@dataclass(frozen=True, slots=True)
class _Pause:
    """A method in which a training stands still, and what is worth changing from which share on."""

    method: str
    does: str
    option: str
    costly: float
    remedy: str


PAUSES = (
    _Pause(
        "evaluate",
        "evaluates",
        "eval_steps",
        # Somebody wants to see the curve: below it the evaluation is worth what it costs.
        0.3,
        "raise `eval_steps`, evaluate once in an epoch, or on a part of the data",
    ),
    _Pause(
        "_save_checkpoint",
        "writes a checkpoint",
        "save_steps",
        0.1,
        "raise `save_steps`, so that checkpoints take a small part of the training",
    ),
)


def watch(tape: Tape) -> None:
    """Time what the trainer does between steps."""
    tape.imports.after("transformers.trainer", lambda module: _watch(tape, module))


def _watch(tape: Tape, module: ModuleType) -> None:
    for pause in PAUSES:
        method = getattr(module.Trainer, pause.method, None)
        if method is not None:
            setattr(module.Trainer, pause.method, _timed(tape, pause, method))


def _timed(tape: Tape, pause: _Pause, method: Any) -> Any:
    @functools.wraps(method)
    def timed(trainer: Any, *arguments: Any, **named: Any) -> Any:
        begin = time.perf_counter()
        try:
            return method(trainer, *arguments, **named)
        finally:
            seconds = time.perf_counter() - begin
            frame = sys._getframe(1)
            if tape.active:
                tape.guarded(NAME, lambda: _note(tape, pause, trainer, seconds, frame))

    return timed


def _note(tape: Tape, pause: _Pause, trainer: Any, seconds: float, frame: Any) -> None:
    place = tape.code.place(frame)
    # Asked by the program itself, or at the end, it pauses nothing.
    if place is None or not trainer.is_in_train:
        return
    state = trainer.state
    kind = f"{NAME} {pause.method}"
    tape.note(kind, place, seconds=seconds)
    detail = tape.detail(kind, place)
    detail["steps"] = state.global_step
    detail["epochs"] = max(1.0, state.epoch or 0.0)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The trainings that stand still for a good part of the run."""
    for pause in PAUSES:
        for seen in trace.observations:
            if seen.kind != f"{NAME} {pause.method}" or seen.count < FEWEST:
                continue
            share = share_of_seconds(trace, seen.seconds)
            by_steps = seen.count >= SHORTEST_EPOCH * seen.detail["epochs"]
            if by_steps and share >= pause.costly:
                yield _diagnosis(pause, seen, share)


def _diagnosis(pause: _Pause, seen: Observation, share: float) -> Diagnosis:
    every = round(seen.detail["steps"] / seen.count)
    often = f"every {every} steps" if every > 1 else "after each step"
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"the trainer {pause.does} {often} (`{pause.option}`)",
        evidence=(
            f"{seen.count:,} times, {1000 * seen.seconds / seen.count:,.0f} ms each, in "
            f"{seen.detail['steps']:,} steps"
        ),
        remedy=pause.remedy,
        share=share,
    )
