"""`fit` makes as many steps in an epoch as there are samples, though each step takes a batch."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds
from deepperf.dynamic.frameworks.keras_calls import ModelCall, listen, pipeline_of_batches, rows_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "steps-as-samples"
RULES = ("steps-as-samples",)
USUAL_BATCH = 32
"""What Keras takes where no batch size is given."""
STEPS_AT = 12
"""Place of `steps_per_epoch` among the arguments of `fit`."""
ALMOST = 0.9
"""Part of the samples from which on steps were meant to be samples: some are held back to test."""
TOO_MANY = 2
"""How many epochs an epoch holds at least: a half more may be meant, for what is augmented."""


def watch(tape: Tape) -> None:
    """Compare steps and samples of each training."""
    listen(tape, NAME, ("fit",), lambda call: _look(tape, call))


def _look(tape: Tape, call: ModelCall) -> None:
    steps = call.argument("steps_per_epoch", STEPS_AT)
    if not isinstance(steps, int) or steps < TOO_MANY:
        return
    data = call.argument("x", 0)
    rows = rows_of(data)
    size = call.argument("batch_size", 2) or USUAL_BATCH
    if rows is None:
        rows, size = pipeline_of_batches(data)
    if not rows or not size:
        return
    enough = -(-rows // size)
    if steps >= ALMOST * rows and steps >= TOO_MANY * enough:
        tape.note(
            NAME,
            call.place,
            seconds=call.seconds,
            detail={"steps": steps, "rows": rows, "batch": size, "enough": enough},
        )


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The trainings whose epochs are too long."""
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        told = seen.detail
        part = 1.0 - told["enough"] / told["steps"]
        yield Diagnosis(
            signal=NAME,
            cause="improper-hyper-parameter",
            file=seen.file,
            line=seen.line,
            function=seen.function,
            message="an epoch has as many steps as there are samples, though each takes a batch",
            evidence=(
                f"{told['steps']:,} steps of {told['batch']:,} over {told['rows']:,} samples: "
                f"{told['enough']:,} steps see them all; {seen.seconds:.2f} s"
            ),
            remedy="leave `steps_per_epoch` out, or divide the samples by the batch size",
            share=share_of_seconds(trace, part * seen.seconds),
            rule=NAME,
        )
