"""A session is asked about a few rows, or trained on them, at a time, again and again from one
line."""

from __future__ import annotations

import functools
import numbers
import sys
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.session_runs import Ended, before_runs, changes_anything
from deepperf.dynamic.program.few_rows import FEW_ROWS as ROWS_OF_STEP
from deepperf.dynamic.program.few_rows import (
    FEWEST_STEPS,
    OVERHEAD,
    overhead_of,
    saved_by_more,
    told_of_few_rows,
)
from deepperf.dynamic.program.handed_on import OUTERMOST, is_item_of_loop
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "session-per-item"
RULES = ("predict-per-item",)
FEWEST_RUNS = 16
"""Runs from one line: fewer are a look at an example now and then."""
FEW_ROWS = 8
"""Rows up to which a run is mostly overhead."""
PASSES = 3
"""Forward, and backward to the inputs and to the weights."""
REPEATS = ("While", "StatelessWhile", "Enter", "PartitionedCall", "StatefulPartitionedCall")
"""What may use weights more than once."""
LARGER = 16
"""How many times as many elements an array has that the rows were cut from."""


def watch(tape: Tape) -> None:
    """Look at what each run is fed with."""
    before_runs(tape, NAME, lambda *asked: _begun(tape, *asked))


def _begun(tape: Tape, session: Any, fetches: Any, fed: Any) -> Ended | None:
    rows = (_rows(fed) or _points(fed)) if fed else 0
    return functools.partial(_note, tape, session, fetches, fed, rows) if rows else None


def _rows(fed: Any) -> int:
    """How many rows a run is fed with; 0 where these are many, or where that is not told."""
    most = 0
    try:
        for value in fed.values():
            shape = getattr(value, "shape", None)
            count = len(value) if isinstance(value, (list, tuple)) else shape[0] if shape else 0
            if count > FEW_ROWS:
                return 0
            most = max(most, count)
    except (AttributeError, IndexError, TypeError):
        return 0
    return most


def _points(fed: Any) -> int:
    """1 where a run is fed with several numbers that could each be a column of them: a single one
    may be a rate, or a switch."""
    is_open = len(fed) > 1 and all(
        isinstance(value, numbers.Real) and getattr(getattr(key, "shape", None), "rank", 0) is None
        for key, value in fed.items()
    )
    return int(is_open)


def _note(tape: Tape, session: Any, fetches: Any, fed: Any, rows: int, seconds: float) -> None:
    place = tape.code.caller()
    if place is None:
        return
    tape.note(NAME, place, seconds=seconds)
    detail = tape.detail(NAME, place)
    count = detail["runs"] = detail.get("runs", 0) + 1
    if count == 1:
        detail["first"] = seconds
        detail["products"] = _products_of(session.graph)
    # What a line runs, and with what, is looked at ever more seldom.
    if count & (count - 1) == 0:
        is_open = all(_takes_more(key) for key, value in fed.items() if _is_rows(value))
        detail["fixed"] = detail.get("fixed", False) or not is_open
        changes = changes_anything(session.graph, fetches)
        detail["changes"] = detail.get("changes", False) or changes
        stack = tape.code.stack(sys._getframe(1))[:OUTERMOST]
        detail["ways"] = [[way.file, way.line] for way in stack]
    detail["rows"] = detail.get("rows", 0) + rows
    arrays = [value for value in fed.values() if _is_rows(value)]
    detail["cut"] = detail.get("cut", 0) + bool(arrays and all(map(_is_cut, arrays)))


def _products_of(graph: Any) -> int:
    """About how many multiplications a step of one row makes; 0 where weights may be used more
    than once for it."""
    variables = graph.get_collection("trainable_variables")
    is_known = all(variable.shape.rank in (0, 1, 2) for variable in variables)
    if not is_known or any(node.type in REPEATS for node in graph.get_operations()):
        return 0
    return sum(PASSES * int(variable.shape.num_elements() or 0) for variable in variables)


def _is_rows(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or bool(getattr(value, "shape", ()))


def _takes_more(key: Any) -> bool:
    """Whether a placeholder leaves open how many rows it takes."""
    dimensions = getattr(getattr(key, "shape", None), "dims", None)
    if dimensions is None:
        return True
    return bool(dimensions) and getattr(dimensions[0], "value", dimensions[0]) is None


def _is_cut(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_is_cut(part) for part in value)
    base: Any = getattr(value, "base", None)
    return hasattr(base, "size") and bool(base.size >= LARGER * max(1, value.size))


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that asked often, and about little."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < FEWEST_RUNS:
            continue
        if not seen.detail["fixed"] and not seen.detail["changes"]:
            yield _diagnosis(trace, seen)
        elif not seen.detail["fixed"] and seen.count >= FEWEST_STEPS:
            yield from _of_steps(trace, seen)


def _of_steps(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    """Steps on a few rows that hardly compute, where a loop goes over rows that were there."""
    rows, seconds = seen.detail["rows"] / seen.count, seen.seconds - seen.detail["first"]
    each = seconds / seen.count
    overhead = overhead_of(seen.detail["products"] * rows, each)
    if rows > ROWS_OF_STEP or not seen.detail["products"] or overhead < OVERHEAD:
        return
    if is_item_of_loop(seen.detail["ways"]):
        yield told_of_few_rows(
            seen,
            NAME,
            rows,
            f"{seen.count:,} steps; of the {1000 * each:.2f} ms of one at least "
            f"{min(0.99, overhead):.0%} is overhead",
            share_of_seconds(trace, saved_by_more(overhead, rows) * seconds),
        )


def _diagnosis(trace: Trace, seen: Observation) -> Diagnosis:
    rows = seen.detail["rows"] / seen.count
    is_sure = seen.detail["cut"] * 2 >= seen.count or is_item_of_loop(seen.detail["ways"])
    said = "one row" if rows == 1 else f"{rows:.3g} rows"
    return told_at(
        seen,
        signal=NAME,
        cause="missed-batch-api",
        message=f"a session run processes {said} at a time",
        evidence=(
            f"{seen.count:,} runs took {seen.seconds:.2f} s, "
            f"{1000 * seen.seconds / seen.count:.1f} ms each"
        ),
        remedy="stack the rows and feed all of them, or hundreds, in one run",
        # Rows that were neither cut from a larger array nor what a loop goes over may each depend
        # on the answer before.
        weight=Weight.TIME if is_sure else Weight.HINT,
        share=share_of_seconds(trace, seen.seconds - seen.detail["first"]),
        rule="predict-per-item",
    )
