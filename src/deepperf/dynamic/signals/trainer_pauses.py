"""A trainer stops every few steps to evaluate, or to save: Hugging Face's, Lightning's, and `fit`
of Keras."""

from __future__ import annotations

import functools
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import BATCHES, Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "trainer-pauses"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "abnormal-gpu-utilization")
FEWEST = 8
"""Pauses: fewer cost what they cost once, and a short trial has some at its end."""
SHORTEST_EPOCH = 3
"""Pauses in an epoch from which on they are made by steps: one belongs to each epoch."""
LEAST = 0.005
"""Share of the run below which they are not even worth a note."""
FEW = 4
"""Pauses from which on such a pace is worth a note."""
SHORT = 20
"""Steps between two pauses up to which it is: nobody needs to know as often how it goes."""
ROWS_OF_STEP = 4
"""Rows of a training step from which on an evaluation of one at a time is told."""
NEVER = math.inf


@dataclass(frozen=True, slots=True)
class _Pause:
    """A method in which a training stands still, the option that says how often, and from which
    shares of the run on that is worth changing: where steps set the pace, and where epochs do."""

    method: str
    option: str
    message: str
    costly: float
    costly_each_epoch: float
    remedy: str


HUGGING_FACE_EVALUATION = _Pause(
    "evaluate",
    "eval_steps",
    "the trainer evaluates",
    # Somebody wants to see the curve: below it the evaluation is worth what it costs.
    0.3,
    NEVER,
    "raise `eval_steps`, evaluate once per epoch, or evaluate on a part of the data",
)
HUGGING_FACE_CHECKPOINT = _Pause(
    "_save_checkpoint",
    "save_steps",
    "the trainer writes a checkpoint",
    0.1,
    NEVER,
    "raise `save_steps`, so that checkpoints take a small part of the time",
)
LIGHTNING_EVALUATION = _Pause(
    "run",
    "val_check_interval",
    "the trainer evaluates",
    0.3,
    NEVER,
    "raise `val_check_interval`, evaluate once per epoch, or on a part (`limit_val_batches`)",
)
LIGHTNING_CHECKPOINT = _Pause(
    "save_checkpoint",
    "every_n_train_steps",
    "the trainer writes a checkpoint",
    0.1,
    NEVER,
    "write one per epoch, or every few minutes (`train_time_interval` of `ModelCheckpoint`)",
)
KERAS_EVALUATION = _Pause(
    "evaluate",
    "validation_freq",
    "`fit` evaluates",
    0.3,
    # To evaluate on as many samples as are trained on takes a third of the time.
    0.5,
    "evaluate every few epochs (`validation_freq`), or on a part of the data (`validation_steps`)",
)
KERAS_CHECKPOINT = _Pause(
    "_save_model",
    "save_freq",
    "a callback writes a checkpoint",
    0.1,
    # One of each epoch is usual, and a short trial's epochs are short.
    0.5,
    "write it after more steps or epochs, only where the model is the best so far "
    "(`save_best_only`), or without the optimizer (`save_weights_only`)",
)
PAUSES = (
    HUGGING_FACE_EVALUATION,
    HUGGING_FACE_CHECKPOINT,
    LIGHTNING_EVALUATION,
    LIGHTNING_CHECKPOINT,
    KERAS_EVALUATION,
    KERAS_CHECKPOINT,
)
LIGHTNING = ("lightning.pytorch", "pytorch_lightning")
KERAS_TRAINERS = {
    "keras.src.backend.tensorflow.trainer": "TensorFlowTrainer",
    "keras.src.backend.jax.trainer": "JAXTrainer",
    "keras.src.backend.torch.trainer": "TorchTrainer",
    "tf_keras.src.engine.training": "Model",
}
KERAS_SAVERS = {
    "keras.src.callbacks.model_checkpoint": "ModelCheckpoint",
    "keras.src.callbacks.backup_and_restore": "BackupAndRestore",
    "tf_keras.src.callbacks": "ModelCheckpoint",
}
OWN_EVALUATION = "_use_cached_eval_dataset"
"""What `fit` gives to an evaluation of its own."""


class Progress(NamedTuple):
    """Steps so far, and epochs at most: a pause that belongs to the epochs may be as many. `chosen`
    says that the program asked for a pause after so many steps."""

    steps: int
    epochs: float
    chosen: bool = False
    rows: tuple[int, int] = (0, 0)
    """Of a batch of an evaluation, and of one of the training, where that is known."""


Pace = Callable[[Any, Mapping[str, Any]], Progress | None]
"""Tells it of a trainer or callback, and the named arguments of what it does; None where that
pauses nothing."""


def watch(tape: Tape) -> None:
    """Time what trainers do between steps."""
    listening: list[tuple[str, str, Iterable[_Pause], Pace]] = [
        ("transformers.trainer", "Trainer", (pause,), functools.partial(_of_hugging_face, kind))
        for pause, kind in ((HUGGING_FACE_EVALUATION, "eval"), (HUGGING_FACE_CHECKPOINT, "save"))
    ]
    for home in LIGHTNING:
        loop, trainer = f"{home}.loops.evaluation_loop", f"{home}.trainer.trainer"
        listening.append((loop, "_EvaluationLoop", (LIGHTNING_EVALUATION,), _of_lightning_loop))
        listening.append((trainer, "Trainer", (LIGHTNING_CHECKPOINT,), _of_lightning))
    fit = functools.partial(_of_fit, tape)
    listening += [(home, name, (KERAS_EVALUATION,), fit) for home, name in KERAS_TRAINERS.items()]
    saver = functools.partial(_of_saver, tape)
    listening += [(home, name, (KERAS_CHECKPOINT,), saver) for home, name in KERAS_SAVERS.items()]
    for home, name, pauses, pace in listening:
        tape.imports.after(home, functools.partial(_watch, tape, name, pauses, pace))


def _of_hugging_face(kind: str, trainer: Any, _: Mapping[str, Any]) -> Progress | None:
    # Asked by the program itself, or at the end, it pauses nothing.
    if not trainer.is_in_train:
        return None
    strategy = getattr(trainer.args, f"{kind}_strategy", "")
    is_chosen = getattr(strategy, "value", strategy) == "steps"
    state, rows = trainer.state, (0, 0)
    if kind == "eval":
        rows = (trainer.args.eval_batch_size, trainer.args.train_batch_size)
    return Progress(state.global_step, max(1.0, state.epoch or 0.0), is_chosen, rows)


def _of_lightning_loop(loop: Any, named: Mapping[str, Any]) -> Progress | None:
    return _of_lightning(loop.trainer, named)


def _of_lightning(trainer: Any, _: Mapping[str, Any]) -> Progress | None:
    # Its own trial before the first step, and what the program asks for, pause nothing.
    if trainer.sanity_checking or getattr(trainer.state.fn, "value", "") != "fit":
        return None
    is_chosen = isinstance(trainer.val_check_interval, int)
    return Progress(trainer.global_step, trainer.current_epoch + 1.0, is_chosen)


def _of_fit(tape: Tape, _: Any, named: Mapping[str, Any]) -> Progress | None:
    steps = tape.ticks_of(BATCHES)
    return Progress(steps, float(steps)) if OWN_EVALUATION in named else None


def _of_saver(tape: Tape, callback: Any, _: Mapping[str, Any]) -> Progress:
    steps = tape.ticks_of(BATCHES)
    return Progress(steps, 1.0 if isinstance(callback.save_freq, int) else float(steps))


def _watch(tape: Tape, name: str, pauses: Iterable[_Pause], pace: Pace, module: ModuleType) -> None:
    cls: Any = getattr(module, name, None)
    for pause in pauses:
        method = getattr(cls, pause.method, None)
        if method is not None:
            setattr(cls, pause.method, _timed(tape, pause, pace, method))


def _timed(tape: Tape, pause: _Pause, pace: Pace, method: Any) -> Any:
    @standing_for(method)
    def timed(part: Any, *arguments: Any, **named: Any) -> Any:
        begin = time.perf_counter()
        try:
            return method(part, *arguments, **named)
        finally:
            seconds = time.perf_counter() - begin
            frame = sys._getframe(1)
            if tape.active:
                tape.guarded(NAME, lambda: _note(tape, pause, pace(part, named), seconds, frame))

    return timed


def _note(
    tape: Tape, pause: _Pause, progress: Progress | None, seconds: float, frame: FrameType
) -> None:
    place = tape.code.place(frame)
    if place is None or progress is None:
        return
    kind = f"{NAME} {pause.option}"
    tape.note(kind, place, seconds=seconds)
    detail = tape.detail(kind, place)
    detail["epochs"], detail["chosen"] = progress.epochs, progress.chosen
    detail["rows"] = list(progress.rows)
    detail["steps"] = progress.steps - detail.setdefault("first", progress.steps)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The trainings that stand still for a good part of the run, or after every few steps."""
    for pause in PAUSES:
        for seen in trace.observations:
            if seen.kind != f"{NAME} {pause.option}":
                continue
            yield from _of_rows(trace, seen)
            if seen.count < FEW:
                continue
            share = share_of_seconds(trace, seen.seconds)
            # From the first pause to the last.
            every = round(seen.detail["steps"] / (seen.count - 1))
            by_steps = seen.count >= SHORTEST_EPOCH * seen.detail["epochs"]
            costly = pause.costly if by_steps else pause.costly_each_epoch
            if seen.count >= FEWEST and share >= costly:
                yield _diagnosis(pause, seen, every, share, Weight.TIME)
            elif (by_steps or seen.detail.get("chosen")) and every <= SHORT and share >= LEAST:
                yield _diagnosis(pause, seen, every, share, Weight.HINT)


def _of_rows(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    """Evaluations by one row after the other, though steps take more, and keep gradients."""
    rows, trained = seen.detail.get("rows", (0, 0))
    share = share_of_seconds(trace, seen.seconds)
    if rows != 1 or trained < ROWS_OF_STEP or share < FLOOR:
        return
    yield told_at(
        seen,
        signal=NAME,
        cause="missed-batch-api",
        message="the trainer evaluates one row at a time (`per_device_eval_batch_size`)",
        evidence=(
            f"its evaluations took {seen.seconds:,.1f} s; a step of the training takes "
            f"{trained:,} rows, and needs more memory for each"
        ),
        remedy="set `per_device_eval_batch_size` to that of the training, or to more",
        # How much of it a larger batch saves depends on the model.
        weight=Weight.HINT,
        share=share,
    )


def _diagnosis(
    pause: _Pause, seen: Observation, every: int, share: float, weight: Weight
) -> Diagnosis:
    often = f"every {every} steps" if every > 1 else "after each step"
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"{pause.message} {often} (`{pause.option}`)",
        evidence=(
            f"{seen.count:,} times, {1000 * seen.seconds / seen.count:,.0f} ms each, in "
            f"{seen.detail['steps']:,} steps"
        ),
        remedy=pause.remedy,
        weight=weight,
        share=share,
    )
