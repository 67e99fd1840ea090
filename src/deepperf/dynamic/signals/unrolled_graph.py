"""A Python loop was unrolled into the graph of a tf.function: the same operations, many times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of
from deepperf.dynamic.frameworks.graph_places import TRACED_FROM
from deepperf.dynamic.frameworks.traced_functions import after_tracing
from deepperf.dynamic.program.operation_loops import (
    CASES,
    LOOKUPS,
    Case,
    Loop,
    Smell,
    diagnosis_of,
    loops_of,
    operations_of,
    smells,
)
from deepperf.dynamic.program.turns import needs_last_turn
from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "unrolled-graph"
RULES = tuple(case.rule for case in CASES.values())
EXPLAINS_GROWTH = True
FEWEST = 40
"""Operations of one kind from one line: deep networks repeat a block some dozen times."""
SMALL = 300
"""Operations of a graph below which nothing of it was unrolled at length."""
LOOKED_AT = 1500
"""Operations of a graph whose lines are asked for; of larger ones, every second, third, …"""
NOT_OF_LINES = ("backprop.py", "gradients", "optimizer", "map_fn.py", "autodiff")
"""What names the files between a user's line and an operation that the line did not ask for."""
LAYERS = "keras"
"""What the files of layers are called after: of what they do, a user's loop may do much."""
NOT_THE_USERS = (LAYERS, *NOT_OF_LINES)
"""What names the files between a user's line and an operation that no loop of the user's made."""
MOST_CALLERS = 4
"""Lines kept of those that led to a line."""
UNROLLED = Case(
    "",
    "graph-confusion",
    "a Python loop is unrolled into the graph",
    "loop inside the graph with `tf.range` or `tf.scan`, or replace the loop by one operation",
)


def watch(tape: Tape) -> None:
    """Look at the graph of each traced function."""
    after_tracing(
        tape,
        NAME,
        lambda function, frame: _look(tape, function.graph, tape.code.place(frame)),
    )


class _Line:
    def __init__(self, callers: tuple[Place, ...]) -> None:
        self.callers = callers
        self.kinds: Counter[str] = Counter()
        self.elements = 0
        self.picks = 0
        self.picked = 0


def _look(tape: Tape, graph: Any, asked: Place | None) -> None:
    operations = graph.get_operations()
    if len(operations) < SMALL or asked is None:
        return
    step = -(-len(operations) // LOOKED_AT)
    lines: dict[Place, _Line] = {}
    through: Counter[Place] = Counter()
    asked_for = 0
    for operation in operations[::step]:
        if operation.type not in ("Const", "Placeholder", "NoOp", "Identity"):
            made = _made_at(tape.code, operation)
            asked_for += bool(made.places)
            through.update(set(made.places))
            if made.is_own:
                at, *callers = made.places
                line = lines.setdefault(at, _Line(tuple(callers[:MOST_CALLERS])))
                _count(line, operation)
    for place, line in lines.items():
        if not line.kinds or max(line.kinds.values()) * step < FEWEST:
            continue
        seen = sum(line.kinds.values()) * step
        detail = tape.detail(NAME, place)
        if seen > detail.get("heard", 0):
            detail.update(
                heard=seen,
                kinds={kind: count * step for kind, count in line.kinds.most_common(8)},
                elements=line.elements * step,
                picks=line.picks * step,
                picked=line.picked * step,
                all=len(operations),
                asked=[asked.file, asked.line],
                callers=[[caller.file, caller.line] for caller in line.callers],
                through={
                    f"{at.line} {at.file}": count / asked_for
                    for at, count in through.items()
                    if at == place or at in line.callers
                },
            )
        tape.note(NAME, place)


@dataclass(frozen=True, slots=True)
class _Made:
    """The user's lines that led to an operation of a graph, and whether the first made it itself;
    none of what belongs to gradients and optimizers."""

    places: tuple[Place, ...]
    is_own: bool


def _made_at(code: UserCode, operation: Any) -> _Made:
    places: list[Place] = []
    is_own = True
    for frame in reversed(operation.traceback):
        path = code.path_of(frame.filename)
        if path:
            places.append(Place(path, frame.lineno, frame.name))
        elif not places and any(word in frame.filename for word in NOT_OF_LINES):
            return _Made((), is_own=False)
        elif not places and LAYERS in frame.filename:
            is_own = False
        elif frame.name == TRACED_FROM:
            break
    return _Made(tuple(places), is_own=is_own and bool(places))


def _count(line: _Line, operation: Any) -> None:
    line.kinds[operation.type] += 1
    made = sum(_size(output) or 0 for output in operation.outputs)
    line.elements += made
    if operation.type.startswith(LOOKUPS) and operation.inputs and operation.outputs:
        whole, part = operation.inputs[0].shape, operation.outputs[0].shape
        if None not in (whole.rank, part.rank) and part.rank < whole.rank:
            line.picks += 1
            line.picked += made or 1


def _size(output: Any) -> int | None:
    size = 1
    if output.shape.rank is None:
        return None
    for side in output.shape.as_list():
        size *= side or 1
    return size


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops whose turns fill graphs."""
    found = [seen for seen in trace.observations if seen.kind == NAME and "kinds" in seen.detail]
    for loop, lines in loops_of([_tiny(seen) for seen in found]):
        for smell in smells(loop, lines):
            file, line = smell.lines[0].detail["asked"]
            # What goes on from turn to turn is done by no single operation.
            goes_on = smell.what in ("lookup", "slice") and _goes_on(loop)
            yield diagnosis_of(
                NAME,
                loop,
                replace(smell, header=loop.first) if goes_on else smell,
                UNROLLED if goes_on or smell.what == "eager" else CASES[smell.what],
                f"{operations_of(smell)}, in a graph of {smell.lines[0].detail['all']:,}",
                max(_part(smell), _part_through(loop, lines)) * share_of(trace, file, line),
                Weight.TIME,
            )


def _goes_on(loop: Loop) -> bool:
    """Whether a statement of a loop works on what its turn before has made."""
    return any(needs_last_turn(loop.file, line) for line in range(loop.first, loop.last + 1))


def _part_through(loop: Loop, lines: list[Observation]) -> float:
    """Of what the graph does, before gradients, the part that the lines of a loop led to."""
    found: dict[int, float] = {}
    for seen in lines:
        for at, part in seen.detail.get("through", {}).items():
            line, _, file = at.partition(" ")
            if file == loop.file and loop.first <= int(line) <= loop.last:
                found[int(line)] = part
    return min(1.0, sum(found.values()))


def _tiny(seen: Observation) -> Observation:
    """Unrolled, even what is large costs: its graph is built, and optimized, operation by
    operation."""
    most = 1000 * seen.detail["heard"]
    return replace(seen, detail={**seen.detail, "elements": min(most, seen.detail["elements"])})


def _part(smell: Smell) -> float:
    operations = sum(int(seen.detail["heard"]) for seen in smell.lines)
    return min(1.0, operations / max(int(seen.detail["all"]) for seen in smell.lines))
