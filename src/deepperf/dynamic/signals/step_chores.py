"""Saving, drawing, logging, or a metric over all that was seen, takes a part of each step."""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from deepperf.dynamic.diagnosis import (
    Diagnosis,
    own_share_within,
    share_of,
    share_within,
    told_at,
)
from deepperf.dynamic.frameworks.torch_compiling import after_optimizer_steps
from deepperf.dynamic.program.chores import (
    PLOT,
    Chore,
    Runs,
    chore_in_callback,
    chore_of,
    statements_of,
)
from deepperf.dynamic.program.turns import Loop, is_within, loops_around
from deepperf.dynamic.recording.frame_variables import user_frames
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import (
    OPTIMIZER_STEPS,
    TRAINING_CALLS,
    Samples,
    Trace,
)

NAME = "step-chores"
RULES = ("chore-per-step",)
COSTLY = 0.05
"""Share of the run from which on something that trains nothing is worth doing less often."""
COSTLY_SELDOM = 0.2
"""The same where the program already does it only now and then, on purpose, or by a function of its
own, whose name need not say what it does."""
COSTLY_CALLBACK = 0.2
"""The same for a callback of the user's: it is there to do something."""
MOSTLY = 0.8
"""Part of a callback's time that is told already at a line further in."""
EVALUATED = "step-evaluation"
"""What is noted of evaluations that a signal of their own tells."""
CALLBACKS = tuple(
    f"on_{part}_{when}"
    for part in ("batch", "train_batch", "step", "substep")
    for when in ("begin", "end", "start")
)
"""What trainers call around each batch, if a class of the user's has it."""
DRAWS = frozenset({"PIL", "matplotlib", "seaborn"})
"""Packages that draw."""
FEWEST_STEPS = 32
"""Steps of an optimizer: with fewer, a run is a trial, and what it says at each is welcome."""
LOOKED_AT = (4, 8, 16)
LOOK_EVERY = 32
"""Steps between two looks at where they are made."""
MOST_WAYS = 16
"""Ways to one line that steps."""
OUTERMOST = 6
"""Lines of the user's from a step outwards that are kept."""


def watch(tape: Tape) -> None:
    """Learn from which lines optimizers are asked to step, and compiled functions that train."""
    steps = itertools.count(1)

    def is_looked_at() -> bool:
        step = next(steps)
        return tape.active and (step in LOOKED_AT or step % LOOK_EVERY == 0)

    def ended(optimizer: Any) -> None:
        if is_looked_at():
            frame = sys._getframe(1)
            device = optimizer.param_groups[0]["params"][0].device.type
            tape.guarded(NAME, lambda: _note(tape, "torch", device, frame))

    def stepped(clock: str) -> None:
        if clock in (TRAINING_CALLS, OPTIMIZER_STEPS) and is_looked_at():
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, "tensorflow", _device_of_tensorflow(), frame))

    after_optimizer_steps(tape, ended)
    tape.after_steps(stepped)


def _device_of_tensorflow() -> str:
    """Where TensorFlow computes, as far as it can be told without asking for devices."""
    build: Any = sys.modules.get("tensorflow.python.platform.build_info")
    is_known = build is not None and not build.build_info.get("is_cuda_build", True)
    return "cpu" if is_known else "unknown"


def _note(tape: Tape, framework: str, device: str, frame: Any) -> None:
    lines = [
        [tape.code.path_of(one.f_code.co_filename), one.f_lineno]
        for one in user_frames(tape.code, frame)
    ][:OUTERMOST]
    place = tape.code.place(frame)
    if place is None:
        return
    tape.note(NAME, place, detail={"by": framework, "device": device})
    ways = tape.detail(NAME, place).setdefault("ways", [])
    if lines not in ways and len(ways) < MOST_WAYS:
        ways.append(lines)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The statements of loops of steps that train nothing, and take long."""
    if max(trace.steps.values(), default=0) < FEWEST_STEPS:
        return
    told = {(seen.file, seen.line) for seen in trace.observations if seen.kind == EVALUATED}
    found = (
        (file, *told_of)
        for file, loop in loops_of_steps(trace)
        for told_of in _chores(trace, file, loop)
    )
    for file, statement, chore, share in found:
        if (file, statement.lineno) not in told:
            told.add((file, statement.lineno))
            yield _diagnosis(trace, file, statement.lineno, chore, share)
    yield from _of_callbacks(trace, told)


def loops_of_steps(trace: Trace) -> Iterator[tuple[str, Loop]]:
    """The loops in which optimizers were seen to step, on a processor, and their files."""
    for file, loop, _, _ in steps_in_loops(trace):
        yield file, loop


def steps_in_loops(trace: Trace) -> Iterator[tuple[str, Loop, int, str]]:
    """The same with the line in the loop that steps, and the framework; not what waits for a
    device, which waits for the step itself."""
    for seen in trace.observations:
        if seen.kind == NAME and seen.detail.get("device") == "cpu":
            for lines in seen.detail.get("ways", ()):
                file, loop, line = _loop_of_steps(lines)
                if loop is not None:
                    yield file, loop, line, seen.detail["by"]


def _of_callbacks(trace: Trace, told: set[tuple[str, int]]) -> Iterator[Diagnosis]:
    """The busiest line of each callback that takes long around each batch."""
    found: dict[tuple[str, str], list[Samples]] = {}
    for one in trace.samples:
        if one.function in CALLBACKS:
            found.setdefault((one.file, one.function), []).append(one)
    for (file, _), lines in found.items():
        busiest = max(lines, key=lambda one: (one.total, -one.line))
        share = sum(one.total for one in lines) / trace.sampled if trace.sampled else 0.0
        is_told = any(share_of(trace, *at) >= MOSTLY * share for at in told)
        if share >= COSTLY_CALLBACK and not is_told:
            chore = chore_in_callback(file, busiest.line)
            yield _diagnosis(trace, file, busiest.line, chore, share)


def _chores(trace: Trace, file: str, loop: Loop) -> Iterator[tuple[ast.stmt, Chore, float]]:
    """The chores of a loop that cost enough, and the share of each; of those that do the same, one
    within another, the outermost."""
    told: set[str] = set()
    stepping = {line for home, line in lines_that_step(trace) if home == file}
    for statement, runs in statements_of(file, loop):
        lines = _lines_of(statement)
        # Whatever else it does, what steps is the training.
        if not stepping.isdisjoint(lines):
            continue
        is_inner = not is_within(loop, statement.lineno)
        own = own_share_within(trace, file, lines)
        share = share_within(trace, file, lines)
        is_costly = own >= COSTLY and runs is Runs.ALL
        if not is_costly and share < COSTLY_SELDOM:
            continue
        chore = chore_of(statement, file, loop)
        if chore is not None and not (is_inner and chore.message in told):
            told.add(chore.message)
            if chore is PLOT:
                share = max(share, share_of_plots(trace, file, statement.lineno))
            yield statement, chore, share


def share_of_plots(trace: Trace, file: str, line: int) -> float:
    """The share of what draws in the function that a line stands in: a plot is set up there before
    it is saved or shown."""
    names = {one.function for one in trace.samples if (one.file, one.line) == (file, line)}
    drawing = (
        looks
        for one in trace.samples
        if one.file == file and one.function in names
        for name, looks in one.packages.items()
        if name in DRAWS
    )
    return sum(drawing) / trace.sampled if trace.sampled else 0.0


def lines_that_step(trace: Trace) -> Iterator[tuple[str, int]]:
    """The lines that step, and those that lead there."""
    for seen in trace.observations:
        if seen.kind == NAME:
            for lines in seen.detail.get("ways", ()):
                yield from map(tuple, lines)


def _lines_of(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _loop_of_steps(lines: Iterable[Any]) -> tuple[str, Loop | None, int]:
    """The innermost loop around the line that steps, or around what calls that, and the line."""
    for file, line in lines:
        around = loops_around(file, line)
        if around:
            return file, around[0], line
    return "", None, 0


def _diagnosis(trace: Trace, file: str, line: int, chore: Chore, share: float) -> Diagnosis:
    at = next(
        (one for one in trace.samples if (one.file, one.line) == (file, line)),
        Samples(file, line, "", 0, 0, 0),
    )
    steps = max(trace.steps.values())
    return told_at(
        at,
        signal=NAME,
        cause="inefficient-api-usage",
        message=chore.message,
        evidence=f"{share:.0%} of the time of a run of {steps:,} steps is spent at it",
        remedy=chore.remedy,
        share=share,
        rule=RULES[0],
    )
