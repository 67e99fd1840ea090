"""Variables are given their values by one session run each, again and again."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.session_runs import Ended, before_runs
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "load-per-variable"
RULES = ("load-per-variable",)
ASSIGNS = ("Assign", "AssignVariableOp")
FEWEST_VARIABLES = 3
"""Variables set at one line: of one or two, a common run saves little."""
FEWEST_ROUNDS = 4
"""How often each of them is set: at the start and at the end of a training is twice."""
MOST_NAMES = 200
"""Variables told apart at one line."""


def watch(tape: Tape) -> None:
    """Look at runs that only assign a value that is fed."""
    before_runs(tape, NAME, lambda _, fetches, fed: _begun(tape, fetches, fed))


def _begun(tape: Tape, fetches: Any, fed: Any) -> Ended | None:
    kind = getattr(getattr(fetches, "op", fetches), "type", None)
    if kind not in ASSIGNS or fed is None or len(fed) != 1:
        return None
    return functools.partial(_note, tape, fetches)


def _note(tape: Tape, fetches: Any, seconds: float) -> None:
    place = tape.code.caller()
    if place is None:
        return
    tape.note(NAME, place, seconds=seconds)
    names = tape.detail(NAME, place).setdefault("variables", {})
    name = getattr(fetches, "op", fetches).name
    if name in names or len(names) < MOST_NAMES:
        names[name] = names.get(name, 0) + 1


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines at which several variables were set, each by itself and many times."""
    for seen in trace.observations:
        if seen.kind == NAME:
            names = seen.detail.get("variables", {})
            often = [name for name, count in names.items() if count >= FEWEST_ROUNDS]
            if len(often) >= FEWEST_VARIABLES:
                yield _diagnosis(trace, seen, len(often))


def _diagnosis(trace: Trace, seen: Observation, variables: int) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="missed-efficient-api",
        message="each variable is set by its own session run",
        evidence=(
            f"{seen.count:,} runs for {variables:,} variables, in {seen.seconds:.2f} s, "
            f"{1000 * seen.seconds / seen.count:.1f} ms each"
        ),
        remedy=(
            "create one placeholder and one assignment for each variable once, group the "
            "assignments, and feed all of them in one run"
        ),
        share=share_of_seconds(trace, seen.seconds * (1.0 - 1.0 / variables)),
        rule=NAME,
    )
