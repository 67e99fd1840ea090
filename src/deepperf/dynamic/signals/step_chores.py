"""Saving, drawing, logging, or a metric over all that was seen, takes a part of each step."""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, own_share_within, told_at
from deepperf.dynamic.frameworks.torch_compiling import after_optimizer_steps
from deepperf.dynamic.program.chores import Chore, chore_of, statements_of
from deepperf.dynamic.program.turns import Loop, loops_around
from deepperf.dynamic.recording.frame_variables import user_frames
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Samples, Trace

NAME = "step-chores"
RULES = ()
COSTLY = 0.05
"""Share of the run from which on something that trains nothing is worth doing less often."""
COSTLY_SELDOM = 0.2
"""The same where the program already does it only now and then, on purpose."""
FEWEST_STEPS = 32
"""Steps of an optimizer: with fewer, a run is a trial, and what it says at each is welcome."""
LOOKED_AT = (4, 8, 16)
LOOK_EVERY = 256
"""Steps between two looks at where they are made."""
MOST_WAYS = 16
"""Ways to one line that steps."""
OUTERMOST = 6
"""Lines of the user's from a step outwards that are kept."""


def watch(tape: Tape) -> None:
    """Learn from which lines optimizers are asked to step."""
    steps = itertools.count(1)

    def ended(optimizer: Any) -> None:
        step = next(steps)
        if tape.active and (step in LOOKED_AT or step % LOOK_EVERY == 0):
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, optimizer, frame))

    after_optimizer_steps(tape, ended)


def _note(tape: Tape, optimizer: Any, frame: Any) -> None:
    lines = [
        [tape.code.path_of(one.f_code.co_filename), one.f_lineno]
        for one in user_frames(tape.code, frame)
    ][:OUTERMOST]
    place = tape.code.place(frame)
    if place is None:
        return
    device = optimizer.param_groups[0]["params"][0].device.type
    tape.note(NAME, place, detail={"device": device})
    ways = tape.detail(NAME, place).setdefault("ways", [])
    if lines not in ways and len(ways) < MOST_WAYS:
        ways.append(lines)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The statements of loops of steps that train nothing, and take long."""
    if max(trace.steps.values(), default=0) < FEWEST_STEPS:
        return
    told: set[tuple[str, int]] = set()
    for file, loop in loops_of_steps(trace):
        for statement, chore, share in _chores(trace, file, loop):
            if (file, statement.lineno) not in told:
                told.add((file, statement.lineno))
                yield _diagnosis(trace, file, statement, chore, share)


def loops_of_steps(trace: Trace) -> Iterator[tuple[str, Loop]]:
    """The loops in which optimizers were seen to step, on a processor, and their files."""
    for seen in trace.observations:
        # What waits for a device waits for the step itself.
        if seen.kind != NAME or seen.detail.get("device") != "cpu":
            continue
        for lines in seen.detail.get("ways", ()):
            file, loop = _loop_of_steps(lines)
            if loop is not None:
                yield file, loop


def _chores(trace: Trace, file: str, loop: Loop) -> Iterator[tuple[ast.stmt, Chore, float]]:
    """The chores of a loop that cost enough, and the share of each."""
    for statement, is_seldom in statements_of(file, loop):
        share = _share(trace, file, statement)
        if share >= (COSTLY_SELDOM if is_seldom else COSTLY):
            chore = chore_of(statement, loop)
            if chore is not None:
                yield statement, chore, share


def _loop_of_steps(lines: Iterable[Any]) -> tuple[str, Loop | None]:
    """The innermost loop around the line that steps, or around what calls that."""
    for file, line in lines:
        around = loops_around(file, line)
        if around:
            return file, around[0]
    return "", None


def _share(trace: Trace, file: str, statement: ast.stmt) -> float:
    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    return own_share_within(trace, file, lines)


def _diagnosis(
    trace: Trace, file: str, statement: ast.stmt, chore: Chore, share: float
) -> Diagnosis:
    at = next(
        (one for one in trace.samples if (one.file, one.line) == (file, statement.lineno)),
        Samples(file, statement.lineno, "", 0, 0, 0),
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
    )
