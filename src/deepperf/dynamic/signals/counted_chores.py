"""Plots, checkpoints or arrays are written in many steps, wherever in the program that is asked
for."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.counted_calls import count_calls, counted_of
from deepperf.dynamic.program.chores import CHECKPOINT, PLOT, STORED
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.signals import step_chores

NAME = "counted-chores"
RULES = ("chore-per-step",)
PLOTS, CHECKPOINTS, ARRAYS = f"{NAME} plots", f"{NAME} checkpoints", f"{NAME} arrays"
CHORES = {PLOTS: PLOT, CHECKPOINTS: CHECKPOINT, ARRAYS: STORED}
SAVERS = {
    "torch": ("save",),
    "keras.src.models.model": ("Model.save", "Model.save_weights"),
    "tf_keras.src.engine.training": ("Model.save", "Model.save_weights"),
    "tensorflow.python.checkpoint.checkpoint": ("Checkpoint.save", "Checkpoint.write"),
    "tensorflow.python.checkpoint.checkpoint_management": ("CheckpointManager.save",),
}
"""What writes the weights of a model."""
STORERS = {"numpy": ("save", "savez", "savez_compressed"), "pickle": ("dump",)}
"""What writes arrays that a program gives it, such as those of a model in JAX."""
MANY = 8
EVERY = 0.3
"""Part of the steps after which something is written from which on it belongs to steps: short
epochs have few of them."""
SELDOM = 0.1
"""The same for what takes a part of the run that is felt."""
FELT, COSTLY = 0.01, 0.05
"""Such a part, for a note, and from which on it is more than that."""


def watch(tape: Tape) -> None:
    """Count the figures, the checkpoints and the arrays that are written."""
    count_calls(tape, PLOTS, "matplotlib.figure", ("Figure.savefig",))
    for home, names in SAVERS.items():
        count_calls(tape, CHECKPOINTS, home, names)
    for home, names in STORERS.items():
        count_calls(tape, ARRAYS, home, names)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that write in many steps."""
    steps = max(trace.steps.values(), default=0)
    told = {one.message for one in step_chores.diagnose(trace)}
    for kind, chore in CHORES.items():
        for seen, _ in counted_of(trace, kind):
            often = seen.detail["steps"]
            share = share_of_seconds(trace, seen.seconds)
            if chore is PLOT:
                share = max(share, step_chores.share_of_plots(trace, seen.file, seen.line))
            is_seldom = often < EVERY * steps
            every = SELDOM if share >= FELT else EVERY
            if chore.message in told or often < max(MANY, every * steps):
                continue
            yield told_at(
                seen,
                signal=NAME,
                cause="inefficient-api-usage",
                message=chore.message,
                evidence=f"{often:,} times in {steps:,} steps; it took {seen.seconds:.2f} s",
                remedy=chore.remedy,
                weight=Weight.TIME if share >= (COSTLY if is_seldom else FLOOR) else Weight.HINT,
                share=share,
                rule=RULES[0],
            )
