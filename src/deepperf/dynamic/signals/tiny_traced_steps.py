"""A loop calls a small tf.function that trains, on a few rows at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of
from deepperf.dynamic.frameworks.graph_places import TRACED_FROM
from deepperf.dynamic.frameworks.step_hooks import TRAINS
from deepperf.dynamic.program.few_rows import (
    FEW_ROWS,
    FEWEST_STEPS,
    OVERHEAD,
    SLOW_PROCESSOR,
    overhead_of,
    saved_by_more,
    told_of_few_rows,
)
from deepperf.dynamic.program.handed_on import OUTERMOST
from deepperf.dynamic.program.turns import takes_item
from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "tiny-traced-steps"
BY_LOOKS = True
ASKED = f"{NAME} asked"
"""The kind under which lines are noted that call what answers, and does not train."""
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
LOOK_EVERY = 2
"""Samples of which one is looked into."""
FEWEST_LOOKS = 5
TRIED = 4
"""Looks at which the graphs are looked into, as long as they tell nothing."""
MOST_ROWS = 64
"""Numbers of rows that are kept of a line."""
SMALL_KERNEL = 25
"""Multiplications for each number that a convolution by channels makes: 5 times 5."""
HOME = "/polymorphic_function.py"
UNKNOWN = (
    *("While", "StatelessWhile", "If", "StatelessIf", "PartitionedCall", "XlaLaunch", "Einsum"),
    *("StatefulPartitionedCall", "CudnnRNN", "CudnnRNNV3", "Conv3D", "FusedBatchNorm3D"),
)
"""What may compute any amount, besides what stands in the graph itself."""


def watch(tape: Tape) -> None:
    """Look now and then into the call of a tf.function that the main thread is in."""
    tape.imports.after("tensorflow", lambda _module: tape.at_samples(NAME, _Watch(tape).look))


class _Watch:
    """What is looked at."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._samples = 0

    def look(self, frame: FrameType | None) -> None:
        self._samples += 1
        if self._samples % LOOK_EVERY:
            return
        code = self._tape.code
        found: FrameType | None = None
        for _ in range(DEEPEST):
            if frame is None:
                return
            if code.path_of(frame.f_code.co_filename):
                break
            if frame.f_code.co_name == TRACED_FROM:
                return
            if frame.f_code.co_name == "__call__" and frame.f_code.co_filename.endswith(HOME):
                found = frame
            frame = frame.f_back
        if found is not None:
            self._look_into(found, frame)

    def _look_into(self, called: FrameType, frame: FrameType | None) -> None:
        known = own_variables(called)
        function, arguments = known.get("self"), (known.get("args"), known.get("kwds"))
        place = self._tape.code.place(frame)
        if place is not None and not getattr(function, TRAINS, False):
            self._note_asked(place, function, frame)
        if place is None or not getattr(function, TRAINS, False):
            return
        rows = max(_rows(arguments), default=0)
        if not rows:
            return
        self._tape.note(NAME, place)
        detail = self._tape.detail(NAME, place)
        if "rows" not in detail:
            detail.update(rows=[], first=self._tape.ticks, products=0)
        detail["last"] = self._tape.ticks
        if len(detail["rows"]) < MOST_ROWS:
            detail["rows"].append(rows)
        if not detail["products"] and len(detail["rows"]) <= TRIED:
            detail["products"] = _products_of(function, rows)

    def _note_asked(self, place: Place, function: Any, frame: FrameType | None) -> None:
        """Take note of a function that has weights, and does not change them."""
        detail = self._tape.detail(ASKED, place)
        if len(detail.get("ways", ())) == 0 and _has_weights(function):
            stack = self._tape.code.stack(frame)[:OUTERMOST]
            detail["ways"] = [[way.file, way.line] for way in stack]
        self._tape.note(ASKED, place)


def _has_weights(function: Any) -> bool:
    known = function._list_all_concrete_functions()
    return any(True for one in known for _ in one.graph.trainable_variables)


def _rows(value: Any) -> Iterator[int]:
    """How many rows the tensors and arrays have that a function is given."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _rows(part)
    elif type(value).__name__ in ("EagerTensor", "ndarray") and len(value.shape):
        yield int(value.shape[0])


def _products_of(function: Any, rows: int) -> int:
    """The multiplications of the largest graph of a function, forward and backward; 0 where they
    are not known. `rows` stand for sides that the graph leaves open."""
    found = 0
    for one in function._list_all_concrete_functions():
        operations = one.graph.get_operations()
        # The first graph of a function may also set up what it works on.
        if not any(operation.type in UNKNOWN for operation in operations):
            found = max(found, sum(_products_at(operation, rows) for operation in operations))
    return found


def _products_at(operation: Any, rows: int) -> int:
    def count(tensor: Any) -> int:
        return math.prod(sides(tensor))

    def sides(tensor: Any) -> list[int]:
        # Where not even their number is known, it is taken to be large.
        known = tensor.shape.as_list() if tensor.shape.rank is not None else [SLOW_PROCESSOR]
        return [rows if side is None else int(side) for side in known]

    kind, given = operation.type, operation.inputs
    made = operation.outputs[0] if operation.outputs else None
    if kind == "MatMul":
        return count(made) * sides(given[0])[0 if operation.get_attr("transpose_a") else -1]
    if kind in ("BatchMatMul", "BatchMatMulV2"):
        return count(made) * sides(given[0])[-2 if operation.get_attr("adj_x") else -1]
    if kind == "Conv2D":
        return count(made) * math.prod(sides(given[1])[:-1])
    if kind == "Conv2DBackpropInput":
        return count(given[2]) * math.prod(sides(given[1])[:-1])
    if kind == "Conv2DBackpropFilter":
        return count(given[2]) * math.prod(sides(made)[:-1])
    if kind.startswith("DepthwiseConv2dNative"):
        return count(made) * SMALL_KERNEL
    return 0


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines whose steps hardly compute, on rows that others stand beside."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < FEWEST_LOOKS or not seen.detail.get("products"):
            continue
        if takes_item(seen.file, seen.line):
            yield from _of_steps(trace, seen)


def _of_steps(trace: Trace, seen: Observation) -> Iterator[Diagnosis]:
    detail = seen.detail
    rows, steps = max(detail["rows"]), detail["last"] - detail["first"]
    if rows > FEW_ROWS or steps < FEWEST_STEPS:
        return
    share = share_of(trace, seen.file, seen.line)
    # While others had all cores it was not at work.
    is_running = 1.0 - trace.coreless / trace.seconds if trace.seconds else 0.0
    each = share * trace.work_seconds * is_running / steps
    overhead = overhead_of(detail["products"], each)
    if overhead < OVERHEAD:
        return
    yield told_of_few_rows(
        seen,
        NAME,
        rows,
        f"about {steps:,} steps; of the {1000 * each:.2f} ms of one at least "
        f"{min(0.99, overhead):.0%} is overhead",
        share * saved_by_more(overhead, rows),
    )
