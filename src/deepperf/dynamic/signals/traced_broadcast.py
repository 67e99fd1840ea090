"""A traced function broadcasts tensors into a much larger one, which it reduces again at once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.graph_places import innermost
from deepperf.dynamic.frameworks.traced_functions import after_tracing
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.unrolled_graph import NOT_THE_USERS

NAME = "traced-broadcast"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("out-of-memory", "slow-execution")
LARGE = 50_000_000
"""Bytes from which on a tensor is worth a thought: libraries make smaller ones now and then."""
WIDER = 8
"""How many times as large it is as what it is made of, and as what is made of it: an axis that is
so short may stay."""
MOST_HELD = 0.25
"""Part of the most that was held from which on a line is what the memory is needed for."""
HOPS = 4
"""Operations between a broadcast and the reduction: a difference, a square, a weight, a root."""
COMBINES = (
    *("Sub", "SquaredDifference", "Mul", "AddV2", "RealDiv", "Maximum", "Minimum", "Pow"),
    *("Equal", "NotEqual", "Less", "Greater", "LessEqual", "GreaterEqual", "BroadcastTo"),
)
KEEPS = (
    *("Square", "Abs", "Sqrt", "Rsqrt", "Neg", "Exp", "Log", "Tanh", "Sigmoid", "Relu"),
    *("Cast", "Identity", *COMBINES),
)
REDUCES = ("Sum", "Mean", "Max", "Min", "Prod", "All", "Any", "ArgMin", "ArgMax", "EuclideanNorm")
COMPILED = "_XlaMustCompile"
"""What marks a function of which XLA makes loops that hold no such tensor."""


def watch(tape: Tape) -> None:
    """Look at the graph of each traced function."""
    after_tracing(tape, NAME, lambda function, _: _look(tape, function))


def _look(tape: Tape, function: Any) -> None:
    if COMPILED in str(getattr(function, "_attrs", "")):
        return
    for operation in function.graph.get_operations():
        if operation.type not in COMBINES:
            continue
        size = _size_of(operation.outputs[0])
        if size < LARGE or not _is_broadcast(operation) or not _is_reduced(operation):
            continue
        frames = list(operation.traceback)
        place = innermost(tape.code, frames)
        if place is None or not _is_the_users(tape, frames):
            continue
        tape.note(NAME, place)
        detail = tape.detail(NAME, place)
        if size > detail.get("size", 0):
            shapes = [_sides(one) for one in (*operation.inputs, operation.outputs[0])]
            detail.update(size=size, shapes=shapes)


def _sides(tensor: Any) -> list[int]:
    """The sides of a tensor, none where one is not known before it is there."""
    shape = tensor.shape
    if shape.rank is None or not all(isinstance(side, int) for side in shape.as_list()):
        return []
    return [int(side) for side in shape.as_list()]


def _count(tensor: Any) -> int:
    sides = _sides(tensor)
    # A number has no sides either, and is as small as what is not known.
    return math.prod(sides) if sides else 0


def _size_of(tensor: Any) -> int:
    return _count(tensor) * int(getattr(tensor.dtype, "size", 1) or 1)


def _is_broadcast(operation: Any) -> bool:
    """Whether what it makes is much larger than each of what it takes."""
    taken = [one for one in operation.inputs if one.dtype == operation.inputs[0].dtype]
    known = [_count(one) for one in taken]
    return min(known) > 0 and max(known) * WIDER <= _count(operation.outputs[0])


def _is_reduced(operation: Any) -> bool:
    """Whether all that is done to what it makes ends, soon, in something much smaller."""
    made = _count(operation.outputs[0])
    users = operation.outputs[0].consumers()
    return bool(users) and all(_ends_small(user, made, HOPS) for user in users)


def _ends_small(operation: Any, made: int, hops: int) -> bool:
    if operation.type in REDUCES:
        left = operation.outputs[0]
        size = 1 if left.shape.rank == 0 else _count(left)
        return 0 < size * WIDER <= made
    if not hops or operation.type not in KEEPS:
        return False
    if _count(operation.outputs[0]) != made:
        return False
    users = operation.outputs[0].consumers()
    return bool(users) and all(_ends_small(user, made, hops - 1) for user in users)


def _is_the_users(tape: Tape, frames: list[Any]) -> bool:
    """Whether a line of the user's made the operation, and no layer or gradient called from it."""
    for frame in reversed(frames):
        if tape.code.path_of(frame.filename):
            return True
        if any(word in frame.filename for word in NOT_THE_USERS):
            return False
    return False


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines whose broadcasts take much of the memory."""
    peak = trace.peak
    for seen in trace.observations:
        if seen.kind != NAME or "size" not in seen.detail:
            continue
        most = max(peak, seen.detail["size"])
        if seen.detail["size"] >= MOST_HELD * most:
            yield _diagnosis(seen, seen.detail["size"] / most)


def _diagnosis(seen: Observation, share: float) -> Diagnosis:
    *taken, made = seen.detail["shapes"]
    shapes = " and ".join(str(tuple(one)) for one in taken if one)
    return told_at(
        seen,
        signal=NAME,
        cause="missed-efficient-api",
        message="broadcasting creates a much larger temporary tensor",
        evidence=(
            f"{shapes} make {tuple(made)}, {seen.detail['size'] / 1e6:,.0f} MB, of which the next "
            "operations keep less than an eighth"
        ),
        remedy=(
            "use an operation that reduces without the temporary: a matrix product "
            "(`|a - b|² = |a|² + |b|² - 2ab`) or "
            "`tf.einsum`; or take the rows in parts"
        ),
        weight=Weight.MEMORY,
        share=min(1.0, share),
    )
