"""Training steps whose layers and optimizer run operation by operation, told from a trace."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.dynamic.diagnosis import (
    Diagnosis,
    Weight,
    own_share_of,
    share_of_seconds,
    share_within,
    told_at,
)
from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.program.operation_loops import CASES, TINY
from deepperf.dynamic.recording.trace import Observation, Trace

LAYERS = "eager-ops layers"
"""What the layers, losses and optimizers that a line calls run by themselves."""
FITTED = "eager-ops fit"
"""Trainings by a model's own method that were told not to compile their steps."""
MAIN_WORK = 0.3
"""Part of a loop's time from which on the steps are what the loop is there for."""
FEWEST_STEPS = 16
"""Steps of a training: fewer are a trial, which compiling would not make shorter."""
COMPILED = 0.5
"""Part of a step of tiny operations that compiling it saves at least."""
STEP = "TensorFlowTrainer.train_step"
"""What Keras calls for a step of `fit`."""
IN_PYTHON = ("keras", "python")
"""Where a step's time goes that a compiled one does without, whatever its operations take."""
COSTLY = 0.05
"""Share of the run that goes there from which on compiling is worth it."""


def eager_steps(trace: Trace) -> Iterator[Diagnosis]:
    """The loops in which weights are trained by tiny operations, each dispatched by Python."""
    loops: dict[tuple[str, int, int], list[Observation]] = {}
    for seen in trace.observations:
        if seen.kind == LAYERS and not seen.detail.get("fitted"):
            loop = _loop_of(seen)
            if loop is not None:
                loops.setdefault(loop, []).append(seen)
    steps = max(trace.steps.values(), default=0)
    if steps >= FEWEST_STEPS:
        yield from _eager_fits(trace)
    for (file, first, last), lines in loops.items():
        heard = sum(seen.detail["heard"] for seen in lines)
        elements = sum(seen.detail["elements"] for seen in lines) / heard
        if steps < FEWEST_STEPS or elements > TINY or not any(s.detail["updates"] for s in lines):
            continue
        share = sum(own_share_of(trace, seen.file, seen.line) for seen in lines)
        if share >= MAIN_WORK * share_within(trace, file, range(first, last + 1)):
            yield _diagnosis(file, first, lines, elements, share)


def _eager_fits(trace: Trace) -> Iterator[Diagnosis]:
    heard = {(one.file, one.line): one for one in trace.observations if one.kind == LAYERS}
    for seen in trace.observations:
        layers = heard.get((seen.file, seen.line)) if seen.kind == FITTED else None
        if layers is None:
            continue
        is_tiny = layers.detail["elements"] <= TINY * layers.detail["heard"]
        share = share_of_seconds(trace, COMPILED * seen.seconds) if is_tiny else 0.0
        share = max(share, _share_in_python(trace, seen))
        yield told_at(
            seen,
            signal="eager-ops",
            cause=CASES["eager"].cause,
            message="`fit` runs its steps eagerly: Python dispatches each operation",
            evidence=(
                f"at least {layers.detail['heard']:,} operations of layers and optimizers, of "
                f"{layers.detail['elements'] / layers.detail['heard']:,.0f} elements on average; "
                f"the training took {seen.seconds:.2f} s"
            ),
            remedy="call `compile` without `run_eagerly=True`, which is for debugging",
            # What is written in Python by hand may need to be run as such, and what large
            # operations gain nobody knows.
            weight=Weight.TIME
            if seen.detail["keras"] and (is_tiny or share >= COSTLY)
            else Weight.HINT,
            share=share,
            rule=CASES["eager"].rule,
        )


def _share_in_python(trace: Trace, fit: Observation) -> float:
    """The share of the run that the steps of a training take by Keras's own Python, as far as its
    part of the line is theirs."""
    looks = 0.0
    for seen in trace.samples:
        if (seen.file, seen.line) == (fit.file, fit.line) and seen.packages:
            in_steps = sum(n for way, n in seen.calls.items() if STEP in way.split("/"))
            in_python = sum(seen.packages.get(name, 0) for name in IN_PYTHON)
            looks += in_steps * in_python / sum(seen.packages.values())
    return looks / trace.sampled if trace.sampled else 0.0


def _loop_of(seen: Observation) -> tuple[str, int, int] | None:
    """The innermost loop that the line stands in, or else one that led to it."""
    for file, line in seen.detail["ways"]:
        around = loop_around(file, line)
        if around is not None:
            return (file, *around)
    return None


def _diagnosis(
    file: str, line: int, lines: list[Observation], elements: float, share: float
) -> Diagnosis:
    case = CASES["eager"]
    heard = sum(seen.detail["heard"] for seen in lines)
    named = ", ".join(sorted({f"`{seen.function}`" for seen in lines}))
    return Diagnosis(
        signal="eager-ops",
        cause=case.cause,
        file=file,
        line=line,
        function=lines[0].function,
        message="training steps run eagerly: Python dispatches each operation",
        evidence=(
            f"at least {heard:,} operations of layers and optimizers in {named}, of "
            f"{elements:,.0f} elements on average; they take {share:.0%} of the run"
        ),
        remedy="put the step, with gradients and update, into a `tf.function`",
        share=min(1.0, COMPILED * share),
        rule=case.rule,
    )
