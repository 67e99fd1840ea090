"""`predict` takes many small rows in batches that are mostly overhead; or it, or `evaluate`, takes
far larger batches than the model was trained on."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_memory, share_of_seconds, told_at
from deepperf.dynamic.frameworks.keras_calls import (
    ModelCall,
    count_of,
    layers_of,
    leading_array,
    listen,
    rows_of,
)
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "predict-batch-size"
MEMORY = f"{NAME} memory"
RULES = ("predict-batch-size",)
USUAL_BATCH = 32
"""What Keras takes where no batch size is given."""
FEWEST_STEPS = 200
"""Steps of one call below which all of it is over in a moment."""
SMALL = 16_384
"""Numbers of a batch up to which a step is mostly overhead: 512 rows of 32."""
SMALLER = 4
"""How many times as many rows as in training a batch has that was not thought of."""
LARGE = 64_000_000
"""Bytes of what layers make of a batch below which nobody minds."""
LITTLE = 300_000
"""Weights of a model up to which a batch of few rows takes it about a millisecond."""


BATCH_SIZE_AT = {"predict": 1, "evaluate": 2, "fit": 2}
"""Place of `batch_size` among the arguments."""


def watch(tape: Tape) -> None:
    """Look at what each call is given."""
    trained: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def look(call: ModelCall) -> None:
        if call.method == "fit":
            size = _batch_size(call)
            if isinstance(size, int):
                trained[call.model] = size
            return
        if call.method == "predict":
            # An evaluation by default is part of every tutorial, and short beside its training.
            _look(tape, call)
        if call.model in trained and _batch_size(call) is None:
            _look_at_memory(tape, call, trained[call.model])

    listen(tape, NAME, tuple(BATCH_SIZE_AT), look)


def _batch_size(call: ModelCall) -> Any:
    return call.argument("batch_size", BATCH_SIZE_AT[call.method])


def _look_at_memory(tape: Tape, call: ModelCall, trained: int) -> None:
    """Whether a batch of the usual size takes much more memory than those of the training."""
    rows = rows_of(call.argument("x", 0)) or 0
    batch = min(rows, USUAL_BATCH)
    if batch < SMALLER * trained:
        return
    # While a layer runs, what it gets and what it makes are there.
    made = [sides for layer in layers_of(call.model) for sides in _made_by(layer)]
    each = 4 * max((one + other for one, other in itertools.pairwise([0, *made])), default=0)
    if (batch - trained) * each >= LARGE:
        tape.note(
            MEMORY,
            call.place,
            size=(batch - trained) * each,
            detail={"batch": batch, "trained": trained, "each": each},
        )


def _made_by(layer: Any) -> Iterable[int]:
    """How many numbers a layer makes of one row, where that is known."""
    try:
        shape = layer.output.shape
    except (AttributeError, ValueError):
        return
    count = 1
    for side in shape[1:]:
        count *= int(side or 1)
    yield count


def _look(tape: Tape, call: ModelCall) -> None:
    data = call.argument("x", 0)
    rows = rows_of(data)
    array = leading_array(data)
    if not rows or array is None:
        return
    size = int(_batch_size(call) or USUAL_BATCH)
    steps = -(-rows // size)
    each = 1
    for side in array.shape[1:]:
        each *= int(side or 1)
    if steps < FEWEST_STEPS or each * size > SMALL:
        return
    if sum(count_of(weight) for weight in call.model.weights) > LITTLE:
        return
    tape.note(
        NAME,
        call.place,
        seconds=call.seconds,
        detail={"rows": rows, "batch": size, "steps": steps, "roomy": max(size, SMALL // each)},
    )


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The calls that would be faster with larger batches, or need less memory with smaller ones."""
    peak = trace.peak
    for seen in trace.observations:
        if seen.kind == MEMORY:
            yield _of_memory(seen, peak)
        if seen.kind != NAME:
            continue
        told = seen.detail
        saved = 1.0 - told["batch"] / told["roomy"]
        yield told_at(
            seen,
            signal=NAME,
            cause="improper-hyper-parameter",
            message=f"`predict` runs many small rows in batches of {told['batch']:,}",
            evidence=(
                f"{told['rows']:,} rows in {told['steps']:,} steps of "
                f"{1000 * seen.seconds / seen.count / told['steps']:.1f} ms each"
            ),
            remedy=f"pass `batch_size={told['roomy']}`, or the largest that fits into memory",
            share=share_of_seconds(trace, saved * seen.seconds),
            rule=NAME,
        )


def _of_memory(seen: Observation, peak: int) -> Diagnosis:
    told = seen.detail
    size = seen.bytes // seen.count
    return told_at(
        seen,
        signal=NAME,
        cause="improper-hyper-parameter",
        message=(
            f"`predict` uses batches of {told['batch']} by default, but the model was trained with "
            f"batches of {told['trained']}"
        ),
        evidence=(
            f"{told['each'] / 1e6:,.0f} MB for each row, {size / 1e6:,.0f} MB more than in training"
        ),
        remedy=f"pass `batch_size={told['trained']}`, as in training",
        weight=Weight.MEMORY,
        share=share_of_memory(size, peak),
        rule=NAME,
    )
