"""`fit` is called again and again for a step or two, and sets up a training each time."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.keras_calls import ModelCall, listen
from deepperf.dynamic.frameworks.step_hooks import CALLBACK_LISTS
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "fit-per-step"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_CALLS = 16
"""Calls from one line: a few go through settings, or parts of a training."""
FEW_STEPS = 2
"""Steps of a call up to which setting it up takes longer than the steps of most models."""


def watch(tape: Tape) -> None:
    """Count the calls of each line, their steps, and the time that the steps take."""
    trained: weakref.WeakSet[Any] = weakref.WeakSet()
    steps = _Steps()
    for home in CALLBACK_LISTS:
        tape.imports.after(home, steps.watch)
    listen(tape, NAME, ("fit",), lambda call: _note(tape, trained, steps.taken(), call))


class _Steps:
    """How long the steps of trainings take, without what comes before, after and in between."""

    def __init__(self) -> None:
        self._began = self._seconds = 0.0

    def watch(self, module: Any) -> None:
        """Listen to the beginning and the end of each batch."""
        cls = module.CallbackList
        begin, end = cls.on_train_batch_begin, cls.on_train_batch_end

        @standing_for(begin)
        def begun(callbacks: Any, *arguments: Any, **named: Any) -> Any:
            result = begin(callbacks, *arguments, **named)
            self._began = time.perf_counter()
            return result

        @standing_for(end)
        def ended(callbacks: Any, *arguments: Any, **named: Any) -> Any:
            if self._began:
                self._seconds += time.perf_counter() - self._began
                self._began = 0.0
            return end(callbacks, *arguments, **named)

        cls.on_train_batch_begin, cls.on_train_batch_end = begun, ended

    def taken(self) -> float:
        """Seconds of all steps since this was asked last."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds


def _note(tape: Tape, trained: weakref.WeakSet[Any], inside: float, call: ModelCall) -> None:
    if call.model not in trained:
        # The first call compiles the step.
        trained.add(call.model)
        return
    params = getattr(getattr(call.model, "history", None), "params", None) or {}
    epochs, steps = params.get("epochs"), params.get("steps")
    if not isinstance(epochs, int) or not isinstance(steps, int):
        return
    tape.note(NAME, call.place, seconds=call.seconds)
    detail = tape.detail(NAME, call.place)
    detail["steps"] = detail.get("steps", 0) + epochs * steps
    detail["inside"] = detail.get("inside", 0.0) + min(inside, call.seconds)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that call `fit` for hardly a step."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < FEWEST_CALLS:
            continue
        if seen.detail["steps"] <= FEW_STEPS * seen.count:
            yield _diagnosis(trace, seen)


def _diagnosis(trace: Trace, seen: Observation) -> Diagnosis:
    steps = seen.detail["steps"] / seen.count
    said = "one step" if steps == 1 else f"{steps:.2g} steps"
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`fit` is called repeatedly, with {said} each time",
        evidence=(
            f"{seen.count:,} calls took {seen.seconds:.2f} s, "
            f"{1000 * seen.seconds / seen.count:.1f} ms each, of which the steps were "
            f"{1000 * seen.detail['inside'] / seen.count:.1f} ms"
        ),
        remedy=(
            "call `fit` once, with all rows and as many epochs; where rows arrive one by one, "
            "`train_on_batch` runs a single step"
        ),
        share=share_of_seconds(trace, seen.seconds - seen.detail["inside"]),
    )
