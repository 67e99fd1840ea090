"""A small Keras model is trained on a few rows at a time, so that steps are mostly overhead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds
from deepperf.dynamic.frameworks.keras_calls import (
    ModelCall,
    count_of,
    layers_of,
    leading_array,
    listen,
    rows_of,
)
from deepperf.dynamic.program.few_rows import (
    FEW_ROWS,
    FEWEST_STEPS,
    OVERHEAD,
    overhead_of,
    saved_by_more,
    told_of_few_rows,
)
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "tiny-batch"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
USUAL_BATCH = 32
"""What Keras takes where no batch size is given."""
PASSES = 3
"""Forward, and backward to the inputs and to the weights."""
DEEPEST_PIPELINE = 60
FITTED, CALLED = f"{NAME} fit", f"{NAME} call"


def watch(tape: Tape) -> None:
    """Look at what each training is given."""
    listen(tape, NAME, ("fit",), lambda call: _look(tape, call))
    listen(tape, NAME, ("train_on_batch",), lambda call: _look_at_batch(tape, call))


def _look(tape: Tape, call: ModelCall) -> None:
    data = call.argument("x", 0)
    rows = rows_of(data)
    size = call.argument("batch_size", 2) or USUAL_BATCH
    array = leading_array(data)
    if array is None:
        rows, size = None, batch_of(data)
    if not isinstance(size, int) or not 0 < size <= FEW_ROWS:
        return
    epochs = len(getattr(getattr(call.model, "history", None), "epoch", ())) or 1
    steps = call.argument("steps_per_epoch", 12)
    if not isinstance(steps, int):
        steps = -(-rows // size) if rows else _batches_in(data)
    if steps > 0:
        _note(tape, FITTED, call, size, steps * epochs)


def _look_at_batch(tape: Tape, call: ModelCall) -> None:
    rows = rows_of(call.argument("x", 0))
    if rows is not None and rows <= FEW_ROWS:
        _note(tape, CALLED, call, rows, 1)


def _note(tape: Tape, kind: str, call: ModelCall, size: int, steps: int) -> None:
    tape.note(kind, call.place, seconds=call.seconds)
    detail = tape.detail(kind, call.place)
    detail["steps"] = detail.get("steps", 0) + steps
    detail["rows"] = detail.get("rows", 0) + size * steps
    if "products" not in detail:
        detail["products"] = products_of(call.model)


def batch_of(dataset: Any) -> int:
    """How many rows a batch of a tf.data pipeline has; 0 where it does not say."""
    for _ in range(DEEPEST_PIPELINE):
        if not hasattr(dataset, "_inputs"):
            return 0
        if "Batch" in type(dataset).__name__ and hasattr(dataset, "_batch_size"):
            size = dataset._batch_size
            return int(size) if getattr(size, "shape", ()) == () else 0
        inputs = dataset._inputs()
        if len(inputs) != 1:
            return 0
        dataset = inputs[0]
    return 0


def _batches_in(data: Any) -> int:
    try:
        return max(0, int(data.cardinality()))
    except (AttributeError, TypeError, ValueError):
        return 0


def products_of(model: Any) -> int:
    """About how many multiplications a model makes for one row; 0 where that is not known."""
    total = 0
    for layer in layers_of(model):
        weights = [w for w in layer.weights if len(w.shape) > 1]
        if not weights:
            continue
        try:
            shape = layer.output.shape
        except AttributeError:
            return 0
        places = 1
        for side in tuple(shape)[1:-1]:
            if side is None:
                return 0
            places *= int(side)
        total += places * sum(count_of(weight) for weight in weights)
    return total


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The trainings whose steps hardly compute."""
    for seen in trace.observations:
        if seen.kind in (FITTED, CALLED) and seen.detail["steps"] >= FEWEST_STEPS:
            told = _diagnosis(trace, seen)
            if told is not None:
                yield told


def _diagnosis(trace: Trace, seen: Observation) -> Diagnosis | None:
    steps, products = seen.detail["steps"], seen.detail["products"]
    rows = seen.detail["rows"] / steps
    each = seen.seconds / steps
    overhead = overhead_of(PASSES * products * rows, each)
    if not products or overhead < OVERHEAD:
        return None
    return told_of_few_rows(
        seen,
        NAME,
        rows,
        f"{steps:,} steps, {1 / each:,.0f} a second; of the {1000 * each:.2f} ms of a step at "
        f"least {overhead:.0%} is overhead",
        share_of_seconds(trace, saved_by_more(overhead, rows) * seen.seconds),
    )
