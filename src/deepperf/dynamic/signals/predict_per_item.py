"""A Keras model is asked about a few rows at a time, again and again from one line."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.keras_calls import (
    ModelCall,
    leading_array,
    listen,
    rows_of,
    rows_of_pipeline,
)
from deepperf.dynamic.program.handed_on import OUTERMOST, is_item_of_loop
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import step_evaluation

NAME = "predict-per-item"
RULES = ("predict-per-item",)
METHODS = ("predict", "predict_on_batch", "evaluate", "test_on_batch", "__call__")
FEWEST_CALLS = 16
"""Calls from one line: fewer are the parts of an ensemble, or a look at an example now and then."""
SELDOM = 10
"""Steps between two calls from one line, from which on they are looks at how a training goes."""
FEWEST_IN_A_ROW = 8
"""Calls that follow each other, while nothing is trained, of what makes a pipeline for each: once
is a look at an example between epochs, and so many rows were there to be asked about together.
What they take of the run decides whether it matters."""
FEW_ROWS = 8
"""Rows up to which a call is mostly overhead: `predict` alone takes as long as thousands."""
ONE_STEP = 32
"""Rows of a call of `predict` that Keras takes in one step, for which it makes a pipeline."""
LARGER = 16
"""How many times as many elements an array has that the rows were cut from."""
STEPS_AT = 3
"""Place of `steps` among the arguments of `predict`."""
HEAVY = ("predict", "evaluate")
"""What makes an input pipeline for each call, so that even rows that depend on each other gain."""


def watch(tape: Tape) -> None:
    """Count calls, rows and seconds by line."""
    asked: dict[Place, _Asked] = {}
    listen(tape, NAME, METHODS, lambda call: _note(tape, asked, call))


class _Asked:
    """What was asked at a line: which models, and how often the last since it was trained."""

    __slots__ = ("_last", "_models", "_since", "_ticks")

    def __init__(self) -> None:
        self._models: weakref.WeakSet[Any] = weakref.WeakSet()
        self._last: weakref.ref[Any] | None = None
        self._ticks = self._since = 0

    def is_new(self, model: Any) -> bool:
        """Whether it is the first call of a model."""
        if (self._last is not None and self._last() is model) or model in self._models:
            return False
        self._models.add(model)
        return True

    def in_a_row(self, model: Any, ticks: int) -> int:
        """How many calls have followed each other with this one, with no step in between; 0 for
        one that comes only now and then."""
        is_same = self._last is not None and self._last() is model
        passed = ticks - self._ticks
        self._last, self._ticks = weakref.ref(model), ticks
        if is_same and passed >= SELDOM:
            self._since = 1
            return 0
        self._since = self._since + 1 if is_same and not passed else 1
        return self._since


def _note(tape: Tape, asked: dict[Place, _Asked], call: ModelCall) -> None:
    data = call.argument("x", 0) if call.arguments or "x" in call.named else None
    rows = rows_of(data)
    if rows is None and call.method == "predict":
        rows = rows_of_pipeline(data, call.argument("steps", STEPS_AT))
    if rows is None:
        return
    at_line = asked.get(call.place)
    if at_line is None:
        at_line = asked[call.place] = _Asked()
    is_new = at_line.is_new(call.model)
    in_a_row = at_line.in_a_row(call.model, tape.ticks)
    if not in_a_row:
        return
    kind = f"{NAME} {call.method}"
    tape.note(kind, call.place, seconds=call.seconds)
    detail = tape.detail(kind, call.place)
    detail["rows"] = detail.get("rows", 0) + rows
    if is_new:
        # It compiles the model, which a call for all rows does as well.
        detail["first"] = detail.get("first", 0.0) + call.seconds
    detail["most"] = max(detail.get("most", 0), in_a_row)
    if in_a_row & (in_a_row - 1) == 0:
        # A line may be called once before the loop that it is called in.
        stack = tape.code.stack(sys._getframe(1))[:OUTERMOST]
        detail["ways"] = [[way.file, way.line] for way in stack]
    array = leading_array(data)
    base: Any = getattr(array, "base", None)
    if hasattr(base, "size") and base.size >= LARGER * max(1, array.size):
        detail["cut"] = detail.get("cut", 0) + 1


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that asked often, and about little."""
    told = {(one.file, one.line) for one in step_evaluation.diagnose(trace)}
    for seen in trace.observations:
        signal, _, method = seen.kind.partition(" ")
        # What goes through the same data in each step is to do so less often.
        if signal == NAME and _is_often(seen, method) and (seen.file, seen.line) not in told:
            rows = seen.detail.get("rows", 0) / seen.count
            if 0 < rows <= (ONE_STEP if method == "predict" else FEW_ROWS):
                yield _diagnosis(trace, seen, method, rows)


def _is_often(seen: Observation, method: str) -> bool:
    in_a_row = method in HEAVY and seen.detail.get("most", 0) >= FEWEST_IN_A_ROW
    return in_a_row or seen.count >= FEWEST_CALLS


def _diagnosis(trace: Trace, seen: Observation, method: str, rows: float) -> Diagnosis:
    called = "the model" if method == "__call__" else f"`{method}`"
    is_sure = (
        method in HEAVY
        or seen.detail.get("cut", 0) * 2 >= seen.count
        or is_item_of_loop(seen.detail.get("ways", ()))
    )
    remedy = "stack the inputs and call it once, with a batch size of hundreds"
    if method in HEAVY:
        remedy += "; where each output is needed for the next input, call the model itself"
    return told_at(
        seen,
        signal=NAME,
        cause="missed-batch-api",
        message=f"{called} is called with {_rows(rows)} at a time",
        evidence=(
            f"{seen.count:,} calls took {seen.seconds:.2f} s, "
            f"{1000 * seen.seconds / seen.count:.1f} ms each"
        ),
        remedy=remedy,
        # Rows that were neither cut from a larger array nor what a loop goes over may each depend
        # on the answer before.
        weight=Weight.TIME if is_sure else Weight.HINT,
        share=share_of_seconds(trace, seen.seconds - seen.detail.get("first", 0.0)),
        rule=NAME,
    )


def _rows(rows: float) -> str:
    return "one row" if rows == 1 else f"{rows:.3g} rows"
