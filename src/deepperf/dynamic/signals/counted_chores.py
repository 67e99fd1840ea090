"""Plots or checkpoints are written in most steps, wherever in the program that is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.counted_calls import count_calls, counted_of
from deepperf.dynamic.program.chores import CHECKPOINT, PLOT
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.signals import step_chores

NAME = "counted-chores"
RULES = ("chore-per-step",)
PLOTS, CHECKPOINTS = f"{NAME} plots", f"{NAME} checkpoints"
CHORES = {PLOTS: PLOT, CHECKPOINTS: CHECKPOINT}
MANY = 8
EVERY = 0.3
"""Part of the steps after which something is written from which on it belongs to steps: short
epochs have few of them."""


def watch(tape: Tape) -> None:
    """Count the figures and the checkpoints that are written."""
    count_calls(tape, PLOTS, "matplotlib.figure", ("Figure.savefig",))
    count_calls(tape, CHECKPOINTS, "torch", ("save",))


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that write in many steps."""
    steps = max(trace.steps.values(), default=0)
    told = {one.message for one in step_chores.diagnose(trace)}
    for kind, chore in CHORES.items():
        for seen, _ in counted_of(trace, kind):
            often = seen.detail["steps"]
            if chore.message in told or often < max(MANY, EVERY * steps):
                continue
            share = share_of_seconds(trace, seen.seconds)
            if chore is PLOT:
                share = max(share, step_chores.share_of_plots(trace, seen.file, seen.line))
            yield told_at(
                seen,
                signal=NAME,
                cause="inefficient-api-usage",
                message=chore.message,
                evidence=f"{often:,} times in {steps:,} steps; it took {seen.seconds:.2f} s",
                remedy=chore.remedy,
                weight=Weight.TIME if share >= FLOOR else Weight.HINT,
                share=share,
                rule=RULES[0],
            )
