"""`predict` takes many small rows in batches that are mostly overhead."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds
from deepperf.dynamic.keras_calls import ModelCall, count_of, leading_array, listen, rows_of
from deepperf.dynamic.tape import Tape
from deepperf.dynamic.trace import Trace

NAME = "predict-batch-size"
RULES = ("predict-batch-size",)
USUAL_BATCH = 32
"""What Keras takes where no batch size is given."""
FEWEST_STEPS = 200
"""Steps of one call below which all of it is over in a moment."""
SMALL = 16_384
"""Numbers of a batch up to which a step is mostly overhead: 512 rows of 32."""
LITTLE = 300_000
"""Weights of a model up to which a batch of few rows takes it about a millisecond."""


def watch(tape: Tape) -> None:
    """Look at what each call is given."""
    listen(tape, NAME, ("predict",), lambda call: _look(tape, call))


def _look(tape: Tape, call: ModelCall) -> None:
    data = call.argument("x", 0)
    rows = rows_of(data)
    array = leading_array(data)
    if not rows or array is None:
        return
    size = int(call.argument("batch_size", 1) or USUAL_BATCH)
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
    """The calls that would be faster with larger batches."""
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        told = seen.detail
        saved = 1.0 - told["batch"] / told["roomy"]
        yield Diagnosis(
            signal=NAME,
            cause="improper-hyper-parameter",
            file=seen.file,
            line=seen.line,
            function=seen.function,
            message=f"many small rows are taken {told['batch']:,} at a time",
            evidence=(
                f"{told['rows']:,} rows in {told['steps']:,} steps of "
                f"{1000 * seen.seconds / seen.count / told['steps']:.1f} ms each"
            ),
            remedy=f"pass `batch_size={told['roomy']}`, or as much as memory allows",
            share=share_of_seconds(trace, saved * seen.seconds),
            rule=NAME,
        )
