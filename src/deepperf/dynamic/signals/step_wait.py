"""A loop waits for JAX in each turn, though what it waits for is only kept, printed or dropped."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from types import FrameType

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.program.turns import Loop, loops_around, names_in
from deepperf.dynamic.recording.places import DEEPEST
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Samples, Trace
from deepperf.dynamic.signals.jax_dispatch import JAX, WAITING
from deepperf.dynamic.signals.repeated_call import TIMES

NAME = "step-wait"
BY_LOOKS = True
RULES = ("host-sync-in-loop",)
SENT = f"{NAME} sent"
FEWEST_LOOKS = 25
"""Looks that met the waiting: half a second."""
FEWEST_STEPS = 50
OVERLAP = 0.1
"""Part of the run that the loop's own work and the waiting have in common: that much at most is
gained where JAX computes while the program prepares its next step."""
READY = ".block_until_ready("
"""A method of JAX's that is not written in Python, and so has no frame."""


def watch(tape: Tape) -> None:
    """Look whether the main thread waits for JAX, or sends something off to it."""
    tape.imports.after("jax", lambda _module: tape.at_samples(NAME, _Watch(tape).look))


class _Watch:
    """What is looked at."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def look(self, frame: FrameType | None) -> None:
        code = self._tape.code
        is_waiting = is_jax = False
        for _ in range(DEEPEST):
            if frame is None:
                return
            file = frame.f_code.co_filename
            if code.path_of(file):
                break
            is_own = JAX in file
            is_jax = is_jax or is_own
            is_waiting = is_waiting or (is_own and frame.f_code.co_name in WAITING)
            frame = frame.f_back
        if not is_jax or frame is None:
            return
        places = code.stack(frame)
        if is_waiting:
            self._tape.note(NAME, places[0])
        else:
            for place in dict.fromkeys(places):
                self._tape.note(SENT, place)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines at which loops wait while they could do work of their own."""
    if "jax" not in trace.versions or max(trace.steps.values(), default=0) < FEWEST_STEPS:
        return
    for seen in _waits(trace):
        loop = next(iter(loops_around(seen.file, seen.line)), None)
        if loop is None or seen.count < FEWEST_LOOKS or not _is_only_kept(loop, seen.line):
            continue
        within = _lines_of(loop) - _sending_within(trace, seen, loop)
        common = min(seen.count, _own_looks(trace, seen, within))
        if common >= OVERLAP * trace.sampled:
            yield _diagnosis(trace, seen, common)


def _lines_of(loop: Loop) -> frozenset[int]:
    return frozenset(range(loop.lineno, (loop.end_lineno or loop.lineno) + 1))


def _sending_within(trace: Trace, seen: Observation, loop: Loop) -> frozenset[int]:
    """The lines of loops within a loop that send steps off: what they do goes on beside JAX, which
    is waited for once behind them, as at the end of an epoch."""
    sending = {one.line for one in trace.observations if one.kind == SENT and one.file == seen.file}
    inner = (part for part in ast.walk(loop) if isinstance(part, Loop) and part is not loop)
    found = (lines for lines in map(_lines_of, inner) if seen.line not in lines)
    return frozenset().union(*(lines for lines in found if not lines.isdisjoint(sending)))


def _own_looks(trace: Trace, seen: Observation, within: frozenset[int]) -> int:
    """Looks that met what the loop calls, without JAX: a call of a jitted function is no frame, so
    what a line does by itself does not count."""
    looks = sum(one.total - one.python for one in trace.samples if _is_in(one, seen, within))
    kinds = (NAME, SENT)
    of_jax = (one for one in trace.observations if one.kind in kinds and _is_in(one, seen, within))
    return looks - sum(one.count for one in of_jax)


def _waits(trace: Trace) -> Iterator[Observation]:
    """Where the main thread waited, and how many looks met that."""
    yield from (seen for seen in trace.observations if seen.kind == NAME)
    for one in trace.samples:
        if one.python and _waits_by_method(one.file, one.line):
            yield Observation(NAME, one.file, one.line, one.function, count=one.python)


def _waits_by_method(file: str, line: int) -> bool:
    statement = next(
        (part for loop in loops_around(file, line)[:1] for part in loop.body if _has(part, line)),
        None,
    )
    return statement is not None and _is_plain(statement) and READY in ast.unparse(statement)


def _is_in(one: Observation | Samples, seen: Observation, within: frozenset[int]) -> bool:
    return (one.file, one.function) == (seen.file, seen.function) and one.line in within


def _has(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)


def _is_plain(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign))


def _is_only_kept(loop: Loop, line: int) -> bool:
    """Whether each turn waits at a line for what no other statement of the loop decides or computes
    by, and nobody takes its time."""
    statement = next((part for part in loop.body if _has(part, line)), None)
    if statement is None or not _is_plain(statement) or TIMES.search(ast.unparse(loop)):
        return False
    made: frozenset[str] = frozenset()
    if isinstance(statement, ast.Assign):
        made = made.union(*map(names_in, statement.targets))
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        made = names_in(statement.target)
    others = (part for part in loop.body if part is not statement)
    return not any(_decides_by(part, made) for part in others)


def _decides_by(statement: ast.stmt, made: frozenset[str]) -> bool:
    if isinstance(statement, ast.Expr):
        return False
    if isinstance(statement, ast.If) and not names_in(statement.test) & made:
        return any(_decides_by(part, made) for part in (*statement.body, *statement.orelse))
    return bool(names_in(statement) & made)


def _diagnosis(trace: Trace, seen: Observation, common: int) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message="every iteration waits for JAX before the next one is prepared",
        evidence=(
            f"{seen.count * trace.interval:.1f} s of waiting; of these the loop's own work could "
            f"have been done meanwhile for at most {common * trace.interval:.1f} s"
        ),
        remedy=(
            "keep the array, and read its value every few hundred iterations or after the loop: "
            "JAX computes while Python goes on"
        ),
        # How much of it is gained depends on what else wants the cores.
        weight=Weight.HINT,
        share=min(1.0, common / trace.sampled) if trace.sampled else 0.0,
        rule=RULES[0],
    )
