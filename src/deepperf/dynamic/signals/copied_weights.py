"""Weights are copied whole, by `deepcopy`, in one step of a training after the other."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_threads, told_at
from deepperf.dynamic.frameworks.requests import REQUESTS
from deepperf.dynamic.frameworks.torch_compiling import replace_until_compiling
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "copied-weights"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_STEPS = 32
"""Steps after which something was copied: fewer are epochs, tasks or trials."""
EACH_STEP = 0.5
"""Part of all steps from which on each of them copies, unless there is a reason not to."""
OF_MODEL = 4
"""Tensors for each request from which on a model is copied for it."""
COPYING = "deepcopy"
FELT = 0.005
"""Share of the run from which on copies for each request are worth a note."""
COSTLY = 0.05
"""Share of the run from which on copying less often is worth it, where each step copies."""
COSTLY_SELDOM = 0.2
"""The same where the program chooses when to copy."""


def watch(tape: Tape) -> None:
    """Hear of tensors that are copied by `copy.deepcopy`, alone or as parts of something."""
    tape.imports.after("torch", lambda torch: _watch(tape, torch))


def _watch(tape: Tape, torch: Any) -> None:
    for kind in (torch.Tensor, torch.nn.Parameter):
        _wrap(tape, kind, kind.__deepcopy__)


def _wrap(tape: Tape, kind: Any, copy: Any) -> None:
    @standing_for(copy)
    def copied(self: Any, memo: Any) -> Any:
        if tape.active:
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, self, frame))
        return copy(self, memo)

    replace_until_compiling(tape, kind, "__deepcopy__", copied)


def _note(tape: Tape, tensor: Any, frame: FrameType) -> None:
    place = tape.code.place(frame)
    if place is None:
        return
    tape.note(NAME, place, size=tensor.element_size() * tensor.nelement())
    detail = tape.detail(NAME, place)
    ticks = tape.ticks
    if detail.get("last") != ticks:
        detail["last"] = ticks
        detail["steps"] = detail.get("steps", 0) + 1


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that copy, and take a good part of the run."""
    steps = max(trace.steps.values(), default=0)
    requests = sum(seen.count for seen in trace.observations if seen.kind == REQUESTS)
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        if requests >= FEWEST_STEPS and seen.count >= OF_MODEL * requests:
            share = max(_share_of_copying(trace, seen), share_of_threads(trace, *_at(seen)))
            if share >= FELT:
                yield _per_request(seen, requests, share)
            continue
        if seen.detail["steps"] < FEWEST_STEPS:
            continue
        share = _share_of_copying(trace, seen)
        is_each = seen.detail["steps"] >= EACH_STEP * steps
        if share >= (COSTLY if is_each else COSTLY_SELDOM):
            yield _diagnosis(seen, steps, share, Weight.TIME)
        elif is_each and share >= FLOOR:
            yield _diagnosis(seen, steps, share, Weight.HINT)


def _at(seen: Observation) -> tuple[str, int]:
    return seen.file, seen.line


def _per_request(seen: Observation, requests: int, share: float) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message="all weights of a model are copied for each request",
        evidence=(f"{seen.count:,} tensors, {seen.bytes / 1e6:,.0f} MB, for {requests:,} requests"),
        remedy="make the copies once, when the service starts, or let requests share one model",
        weight=Weight.TIME if share >= FLOOR else Weight.HINT,
        share=share,
    )


def _share_of_copying(trace: Trace, seen: Observation) -> float:
    """The share of the run in which something was copied for a line: at one that calls a trainer,
    all of a training goes on."""
    looks = sum(
        count
        for one in trace.samples
        if (one.file, one.line) == (seen.file, seen.line)
        for way, count in one.calls.items()
        if COPYING in way.split("/")
    )
    return min(1.0, looks / trace.sampled) if trace.sampled else 0.0


def _diagnosis(seen: Observation, steps: int, share: float, weight: Weight) -> Diagnosis:
    times = seen.detail["steps"]
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message="all weights are copied between training steps, again and again",
        evidence=(
            f"{seen.count:,} tensors, {seen.bytes / 1e6:,.0f} MB, after {times:,} of {steps:,} "
            "steps"
        ),
        remedy=(
            "copy once per epoch, or into existing tensors: "
            "`kept[name].copy_(value)` for each of `state_dict()`"
        ),
        weight=weight,
        share=share,
    )
