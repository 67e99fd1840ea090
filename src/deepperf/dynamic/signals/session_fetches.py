"""A session computes the same input again for each value that is asked of it."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.session_runs import Ended, before_runs, changes_anything
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "session-fetches"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_RUNS = 16
"""Runs that one could have been spared: fewer are a look at how a training goes."""
COSTLY = 0.05
"""Share of the run from which on it is worth a change: who looks only now and then stays below."""


def watch(tape: Tape) -> None:
    """Compare what each run is fed and asked with the run before."""
    before_runs(tape, NAME, _Runs(tape).begun)


class _Runs:
    """What the run before was fed and asked; nothing of it is kept."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._fed: dict[int, weakref.ref[Any]] = {}
        self._asked: Any = None
        self._session: weakref.ref[Any] | None = None
        self._changes: dict[Place, bool] = {}

    def begun(self, session: Any, fetches: Any, fed: Any) -> Ended | None:
        """Note how long a run takes that is fed what the one before was, and asked for other
        values."""
        arrays = _arrays(fed)
        is_same = bool(arrays) and self._is_fed(session, arrays)
        asked = _identity(fetches)
        is_other = asked != self._asked
        self._asked = asked
        if not is_same:
            self._session = weakref.ref(session)
            self._fed = {key: weakref.ref(array) for key, array in arrays.items()}
            return None
        place = self._tape.code.caller() if is_other else None
        if place is None:
            return None
        if place not in self._changes:
            self._changes[place] = changes_anything(session.graph, fetches)
        # What trains may have to follow what was asked before.
        return None if self._changes[place] else functools.partial(self._note, place)

    def _is_fed(self, session: Any, arrays: dict[int, Any]) -> bool:
        if self._session is None or self._session() is not session:
            return False
        return self._fed.keys() == arrays.keys() and all(
            self._fed[key]() is array for key, array in arrays.items()
        )

    def _note(self, place: Place, seconds: float) -> None:
        self._tape.note(NAME, place, seconds=seconds)


def _arrays(fed: Any) -> dict[int, Any]:
    values = fed.items() if isinstance(fed, dict) else ()
    return {
        id(key): value for key, value in values if type(value).__name__ == "ndarray" and value.ndim
    }


def _identity(fetches: Any) -> Any:
    return tuple(map(id, fetches)) if isinstance(fetches, (list, tuple)) else id(fetches)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The functions whose runs could be one, each at the first line of them."""
    found: dict[tuple[str, str], list[Observation]] = {}
    for seen in trace.observations:
        if seen.kind == NAME and seen.count >= FEWEST_RUNS:
            found.setdefault((seen.file, seen.function), []).append(seen)
    for lines in found.values():
        share = share_of_seconds(trace, sum(seen.seconds for seen in lines))
        if share >= COSTLY:
            yield _diagnosis(lines, share)


def _diagnosis(lines: list[Observation], share: float) -> Diagnosis:
    first = min(lines, key=lambda seen: seen.line)
    count = sum(seen.count for seen in lines)
    seconds = sum(seen.seconds for seen in lines)
    at = ", ".join(str(line) for line in sorted({seen.line for seen in lines}))
    return told_at(
        first,
        signal=NAME,
        cause="inefficient-api-usage",
        message="a session runs the same input again for each fetched value",
        evidence=(
            f"{count:,} runs (at line {at}) were fed the same as the previous run; "
            f"they took {seconds:.2f} s"
        ),
        remedy="fetch all values in one run, with the step: `run([train, loss, accuracy], feed)`",
        share=share,
    )
