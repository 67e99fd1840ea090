"""A whole data set, gathered in one array or held as one tensor, is given to `fit`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_memory, told_at
from deepperf.dynamic.frameworks.keras_calls import ModelCall, leading_array, listen
from deepperf.dynamic.program.gathered import gathered_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "whole-dataset"
RULES = ("tensor-fed-fit", "whole-dataset-array")
LARGE = 64_000_000
"""Bytes below which nobody minds what is held: less than TensorFlow's own code takes."""
MOST_HELD = 0.08
"""Part of the most that was held from which on an array is worth a thought."""
ARRAY, TENSOR = f"{NAME} array", f"{NAME} tensor"


def watch(tape: Tape) -> None:
    """Look at what each training is given."""
    listen(tape, NAME, ("fit",), lambda call: _look(tape, call))


def _look(tape: Tape, call: ModelCall) -> None:
    array = leading_array(call.argument("x", 0))
    size = _bytes(array)
    if size < LARGE:
        return
    if type(array).__module__.startswith("numpy"):
        place = gathered_at(tape.code, array, sys._getframe(1))
        kind = ARRAY
    else:
        place, kind = call.place, TENSOR
    if place is not None:
        shape = [int(side) for side in array.shape]
        tape.note(kind, place, size=size, detail={"shape": shape, "of": type(array).__name__})


def _bytes(array: Any) -> int:
    if array is None:
        return 0
    known = getattr(array, "nbytes", None)
    if isinstance(known, int):
        return known
    count = 1
    for side in array.shape:
        count *= int(side or 0)
    return count * int(getattr(array.dtype, "size", 4) or 4)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that put whole data sets together, or hand them over as tensors."""
    peak = trace.peak
    for seen in trace.observations:
        if seen.kind not in (ARRAY, TENSOR) or not seen.count:
            continue
        size = seen.bytes // seen.count
        share = share_of_memory(size, peak)
        if share < MOST_HELD:
            continue
        is_array = seen.kind == ARRAY
        sides = " x ".join(f"{side:,}" for side in seen.detail["shape"])
        yield told_at(
            seen,
            signal=NAME,
            cause="missed-batch-api" if is_array else "inefficient-api-usage",
            message=(
                "a whole data set is collected in one array before training"
                if is_array
                else "a whole data set is passed to `fit` as one tensor"
            ),
            evidence=f"{sides} numbers, {size / 1e6:,.0f} MB of {peak / 1e6:,.0f} MB at the peak",
            remedy=(
                "read batch by batch, with a `keras.utils.Sequence` or a `tf.data` pipeline"
                if is_array
                else "pass `fit` the array itself, or a pipeline that produces batches"
            ),
            weight=Weight.MEMORY,
            share=share,
            rule="whole-dataset-array" if is_array else "tensor-fed-fit",
        )
