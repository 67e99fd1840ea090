"""A tf.function is traced again and again: which argument made it, or which new function."""

from __future__ import annotations

import atexit
import sys
import weakref
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.traced_functions import after_tracing
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "retracing"
RULES = ("compiled-per-call", "retracing")
EXPLAINS_GROWTH = True
FEWEST_TRACES = 5
"""Traces of one function from one line: training, evaluation and a last, shorter batch take three,
and TensorFlow itself warns from five on."""
MOST_FUNCTIONS = 40
"""Functions told apart at one line."""
MOST_VALUES = 200
"""Values of one argument told apart."""
NEW_FUNCTION = "new function"
REMEDIES = {
    "number": "pass it as a tensor, or allow only a few values",
    "text": "pass it as a tensor, or allow only a few values",
    "shape": (
        "pass arrays of one shape (pad or mask them), or set `reduce_retracing=True` or an "
        "`input_signature`"
    ),
    "object": "pass the tensors that it needs instead of the object",
    NEW_FUNCTION: "create the compiled function once, outside the loop, and reuse it",
}

Leaf = tuple[str, str, str]
Values = dict[str, set[tuple[str, str]]]
"""What each argument of a function has been, by its name."""


def watch(tape: Tape) -> None:
    """Ask to be told of each traced function."""
    traced = _Traced(tape)
    after_tracing(tape, NAME, traced.take)
    tape.imports.after("tensorflow", lambda _: _settle_at_end(tape, traced))


def _settle_at_end(tape: Tape, traced: _Traced) -> None:
    # Registered after the tape's own end, so called before it.
    atexit.register(lambda: tape.guarded(NAME, traced.settle) if tape.active else None)


class _Traced:
    """What was traced before: the arguments of each function so far."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._last: dict[Any, tuple[Any, Values]] = {}
        self._foreign: weakref.WeakKeyDictionary[Any, Values] = weakref.WeakKeyDictionary()
        self._open: dict[str, Any] | None = None
        self._built = 0.0

    def take(self, function: Any, frame: FrameType) -> None:
        """Note a trace, and which argument is not as it was in the one before."""
        self.settle()
        place = self._tape.code.place(frame)
        options = _options(frame)
        python = getattr(options, "python_function", None)
        code = _code(python)
        if place is None or code is None or code.co_filename.endswith("structured_function.py"):
            # Functions of a tf.data pipeline are traced with each dataset that is made.
            return
        leaves = tuple(_leaves(function))
        is_own = bool(self._tape.code.path_of(code.co_filename))
        told = self._difference(code, python, leaves) if is_own else self._same(python, leaves)
        self._tape.note(NAME, place)
        functions = self._tape.detail(NAME, place).setdefault("functions", {})
        name = f"{code.co_name}:{code.co_firstlineno}" if is_own else f"{code.co_name} of a library"
        if name not in functions and len(functions) >= MOST_FUNCTIONS:
            return
        entry = functions.setdefault(name, {"traces": 0, "seconds": 0.0, "varying": {}})
        entry["traces"] += 1
        if told:
            entry["varying"][told] = entry["varying"].get(told, 0) + 1
        self._open = entry

    def _difference(self, code: Any, python: Any, leaves: tuple[Leaf, ...]) -> str:
        """What is new to a function of the user's, by where it is defined."""
        before = self._last.get(code)
        earlier = None if before is None else before[0]()
        if before is None or earlier is not python:
            values = Values()
            self._last[code] = (weakref.ref(python), values)
            varying(values, leaves)
            # A function that is still there may be one of several, each with its own variables.
            return NEW_FUNCTION if before is not None and earlier is None else ""
        return varying(before[1], leaves)

    def _same(self, python: Any, leaves: tuple[Leaf, ...]) -> str:
        """What is new to a function of a library's, which makes one for each of its objects."""
        return varying(self._foreign.setdefault(python, Values()), leaves)

    def settle(self) -> None:
        """Give the time that was spent since on building graphs to the trace before."""
        module = sys.modules.get("tensorflow.python.eager.polymorphic_function.tracing_compilation")
        counter = getattr(module, "_graph_building_time_counter", None)
        built = 0.0 if counter is None else counter.get_cell().value() / 1e6
        if self._open is not None:
            self._open["seconds"] += max(0.0, built - self._built)
        self._built = built
        self._open = None


def _options(frame: FrameType) -> Any:
    found: FrameType | None = frame
    for _ in range(6):
        if found is None:
            return None
        if "tracing_options" in found.f_locals:
            return found.f_locals["tracing_options"]
        found = found.f_back
    return None


def _code(function: Any) -> Any:
    """The code of a function, whatever wraps it."""
    for _ in range(10):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            break
        function = inner
    return getattr(getattr(function, "__func__", function), "__code__", None)


def _leaves(function: Any) -> Iterator[Leaf]:
    for name, parameter in function.function_type.parameters.items():
        yield from _leaves_of(name, parameter.type_constraint)


def _leaves_of(name: str, kind: Any) -> Iterator[Leaf]:
    """Where, of what kind and which: the leaves of an argument."""
    parts = getattr(kind, "mapping", None)
    if isinstance(parts, dict):
        for key, part in parts.items():
            yield from _leaves_of(f"{name}[{key!r}]", part)
        return
    listed = getattr(kind, "components", None)
    if isinstance(listed, (tuple, list)):
        yield name, "shape", str(len(listed))
        for number, part in enumerate(listed):
            yield from _leaves_of(f"{name}[{number}]", part)
        return
    if hasattr(kind, "shape"):
        yield name, "shape", f"{kind.shape} {getattr(kind, 'dtype', '')}"
    elif type(kind).__name__ == "Literal":
        value = kind.value
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        what = "number" if is_number else "text" if isinstance(value, str) else "value"
        yield name, what, repr(value)[:80]
    else:
        yield name, "object", str(hash(kind))


def varying(values: Values, leaves: tuple[Leaf, ...]) -> str:
    """The argument that a function is traced anew for, which is added to what they were.

    That is one which is as it never was; where each has been so before, and only all of them
    together not, one that varies. Of several it is the one of most values: a last, shorter batch
    comes with each learning rate. "" for the first trace.
    """
    is_first = not values
    new = [leaf for leaf in leaves if leaf[1:] not in values.get(leaf[0], ())]
    for name, kind, value in leaves:
        known = values.setdefault(name, set())
        if len(known) < MOST_VALUES:
            known.add((kind, value))
    candidates = new or [leaf for leaf in leaves if len(values[leaf[0]]) > 1]
    if is_first or not candidates:
        return ""
    name, kind, _ = max(candidates, key=lambda leaf: len(values[leaf[0]]))
    return f"{kind} {name}"


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines from which a function was traced too often."""
    for seen in trace.observations:
        if seen.kind == NAME:
            for name, entry in seen.detail.get("functions", {}).items():
                if entry["traces"] >= FEWEST_TRACES and entry["varying"]:
                    yield _diagnosis(trace, seen, name, entry)


def _diagnosis(trace: Trace, seen: Observation, name: str, entry: Any) -> Diagnosis:
    most = max(entry["varying"], key=lambda what: (entry["varying"][what], what))
    kind, _, argument = most.partition(" ")
    called = name.partition(":")[0]
    if most == NEW_FUNCTION:
        kind, message = NEW_FUNCTION, f"`{called}` is created and compiled again each time"
    else:
        what = f"{kind} of" if kind == "shape" else f"Python {kind}"
        message = f"`{called}` is traced again for each new {what} `{argument}`"
    return told_at(
        seen,
        signal=NAME,
        cause="graph-confusion",
        message=message,
        evidence=(
            f"{entry['traces']:,} traces, {entry['varying'][most]:,} of them for this; "
            f"{entry['seconds']:.2f} s went to building graphs"
        ),
        remedy=REMEDIES.get(kind, "keep it out of the arguments, or pass it as a tensor"),
        share=share_of_seconds(trace, entry["seconds"]),
        rule="compiled-per-call" if kind == NEW_FUNCTION else NAME,
    )
