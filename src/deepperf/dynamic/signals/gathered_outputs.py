"""An evaluation of Hugging Face's `Trainer` gathers all that its model gives for each batch."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, is_much, told_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "gathered-outputs"
RULES = ("gathered-logits",)
EXPLAINS_GROWTH = True
FEWEST_BATCHES = 4
HELD = "_deepperf_held"
"""Where a container keeps how many batches it was given, and their bytes."""
DEEPEST = 5
JOINED = "; they are joined again with every batch"


def watch(tape: Tape) -> None:
    """Add up what the containers of an evaluation are given, batch by batch."""
    tape.imports.after("transformers.trainer_pt_utils", functools.partial(_watch, tape))


def _watch(tape: Tape, module: Any) -> None:
    cls: Any = getattr(module, "EvalLoopContainer", None)
    if cls is None:
        return
    add = cls.add

    @standing_for(add)
    def added(*given: Any, **named: Any) -> Any:
        if tape.active and given:
            frame = sys._getframe(1)
            tensors = [*given[1:], *named.values()]
            tape.guarded(NAME, lambda: _note(tape, given[0], tensors, frame))
        return add(*given, **named)

    cls.add = added


def _note(tape: Tape, container: Any, tensors: Any, frame: FrameType) -> None:
    place = tape.code.place(frame)
    if place is None:
        return
    found = [*_tensors_in(tensors)]
    batches, size = container.__dict__.get(HELD, (0, 0))
    held = batches + 1, size + sum(one.nbytes for one in found)
    setattr(container, HELD, held)
    tape.note(NAME, place)
    detail = tape.detail(NAME, place)
    if held[1] > detail.get("most", 0):
        largest = max(found, key=lambda one: int(one.nbytes))
        detail.update(most=held[1], batches=held[0], parts=len(found), shape=list(largest.shape))
        detail["joined"] = bool(getattr(container, "do_nested_concat", False))


def _tensors_in(value: Any, depth: int = DEEPEST) -> Iterable[Any]:
    if hasattr(value, "nbytes"):
        yield value
    elif depth and isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _tensors_in(part, depth - 1)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The evaluations that keep much."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.detail.get("batches", 0) < FEWEST_BATCHES:
            continue
        if is_much(seen.detail["most"], trace.peak):
            yield _diagnosis(trace, seen)


def _diagnosis(trace: Trace, seen: Observation) -> Diagnosis:
    detail = seen.detail
    shape = " x ".join(map(str, detail["shape"]))
    parts = "one tensor" if detail["parts"] == 1 else f"{detail['parts']} tensors"
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message="the evaluation keeps all outputs of the model until its end",
        evidence=(
            f"{detail['most'] / 1e6:,.0f} MB of {detail['batches']:,} batches, {parts} of each, "
            f"the largest {shape}{JOINED if detail.get('joined') else ''}"
        ),
        remedy="reduce each batch to what the metrics need: `preprocess_logits_for_metrics` of the "
        "`Trainer`, for instance `logits.argmax(-1)`; `prediction_loss_only=True` without metrics",
        weight=Weight.MEMORY,
        share=min(1.0, detail["most"] / trace.peak) if trace.peak else 0.0,
        rule=RULES[0],
    )
