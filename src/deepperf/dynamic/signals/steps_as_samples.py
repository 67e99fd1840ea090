"""`fit` makes as many steps in an epoch as there are samples, though each step takes a batch."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping
from types import FrameType, GeneratorType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.keras_calls import (
    ModelCall,
    leading_array,
    listen,
    pipeline_of_batches,
    rows_of,
)
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

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


MOST_NAMES = 200
"""Names that are looked at of what a generator works with."""

FirstBatches = MutableMapping[Any, Any]
"""The first batch of each generator that was given to a model."""


def watch(tape: Tape) -> None:
    """Compare steps and samples of each training."""
    first: FirstBatches = weakref.WeakKeyDictionary()
    tape.imports.after(
        "keras.src.trainers.data_adapters.generator_data_adapter",
        lambda module: _watch_generators(tape, first, module),
    )
    listen(tape, NAME, ("fit",), lambda call: _look(tape, first, call))


def _watch_generators(tape: Tape, first: FirstBatches, module: ModuleType) -> None:
    cls: Any = module.GeneratorDataAdapter
    make = cls.__init__

    @standing_for(make)
    def made(self: Any, generator: Any) -> None:
        make(self, generator)
        if tape.active and isinstance(generator, GeneratorType):
            # Keras takes the first batches to learn their shapes, and gives them on.
            batch = (*getattr(self, "_first_batches", ()), None)[0]
            tape.guarded(NAME, lambda: first.__setitem__(generator, _shapes_of(batch)))

    cls.__init__ = made


def _shapes_of(batch: Any) -> tuple[tuple[int, ...], ...]:
    """The shapes of the arrays of a batch, inputs and targets."""
    parts = batch if isinstance(batch, tuple) else (batch,)
    arrays = [leading_array(part) for part in parts]
    return tuple(tuple(map(int, array.shape)) for array in arrays if array is not None)


def _look(tape: Tape, first: FirstBatches, call: ModelCall) -> None:
    steps = _whole(call.argument("steps_per_epoch", STEPS_AT))
    if steps < TOO_MANY:
        return
    data = call.argument("x", 0)
    rows = rows_of(data)
    size = call.argument("batch_size", 2) or USUAL_BATCH
    if isinstance(data, GeneratorType):
        rows, size = _samples_of(data, first.get(data, ()), steps)
    elif rows is None:
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


def _whole(number: Any) -> int:
    """A whole number, NumPy's too; 0 for anything else."""
    try:
        return int(number.__index__())
    except AttributeError:
        return 0


def _samples_of(
    generator: GeneratorType[Any, Any, Any], batch: tuple[tuple[int, ...], ...], steps: int
) -> tuple[int | None, int]:
    """How many samples a generator draws its batches from, and how many are in one; None and 0
    where nothing that it works with holds as many as there are steps."""
    frame = generator.gi_frame
    size = batch[0][0] if batch and batch[0] else 0
    each = {shape[1:] for shape in batch}
    if frame is not None and any(_is_samples(value, steps, each) for value in _known_to(frame)):
        return steps, size
    return None, 0


def _is_samples(value: Any, steps: int, each: set[tuple[int, ...]]) -> bool:
    """Whether it is an array of so many rows, of the shape that a batch has them in: whole
    batches that wait in a list are given one at a step rightly."""
    shape = getattr(value, "shape", None)
    return isinstance(shape, tuple) and shape[:1] == (steps,) and tuple(shape[1:]) in each


def _known_to(frame: FrameType) -> Iterator[Any]:
    """What a function works with: its names, those it reads of its module, and what the first
    hold as attributes."""
    own = list(frame.f_locals.values())[:MOST_NAMES]
    yield from own
    for name in frame.f_code.co_names:
        yield frame.f_globals.get(name)
    for value in own:
        yield from list(getattr(value, "__dict__", {}).values())[:MOST_NAMES]


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The trainings whose epochs are too long."""
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        told = seen.detail
        part = 1.0 - told["enough"] / told["steps"]
        yield told_at(
            seen,
            signal=NAME,
            cause="improper-hyper-parameter",
            message="an epoch has as many steps as there are samples, but each step takes a batch",
            evidence=(
                f"{told['steps']:,} steps of {told['batch']:,} over {told['rows']:,} samples: "
                f"{told['enough']:,} steps see them all; {seen.seconds:.2f} s"
            ),
            remedy="omit `steps_per_epoch`, or divide the number of samples by the batch size",
            share=share_of_seconds(trace, part * seen.seconds),
            rule=NAME,
        )
