"""Where the device's queue runs empty: waits with work launched since the wait before.

After a first wait the queue is empty, so that a second one right behind it costs nothing. A
function's course of launches and waits is found out once; a call takes the course of what it runs.
"""

from __future__ import annotations

import enum
from itertools import groupby
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import Callee, callees, functions_at
from deepperf.semantics.callgraph.overrides import overrides
from deepperf.semantics.device.traced import compiler_of, is_traced
from deepperf.semantics.device.waits import WAITING, Wait, launches, wait_at
from deepperf.semantics.frequency.excluded import is_excluded
from deepperf.semantics.frequency.guards import guard_of
from deepperf.semantics.ir.table import LOOPS, Kind, Unit
from deepperf.semantics.objects.origin import Place, UnitKey
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

LONGEST = 128
"""Events of one function after which the rest is left out."""
LONGEST_INNER = 64
"""The same of what a function takes over from one call."""
MOST_CALLEES = 4
"""Functions that one call may run; further ones are not looked at."""
_FUNCTION = 1
"""The operand of a call that applies a function to parts which is that function."""
_EVENTFUL = WAITING | {Kind.BINARY, Kind.COMPARE}


class Queue(enum.Enum):
    """What an operation does to the device's queue without needing a value of it."""

    FILLS = "fills"
    EMPTIES = "empties"  # a barrier: `torch.cuda.synchronize()`


class Event(NamedTuple):
    """A launch, a barrier or a wait; `chain` are the calls that lead to it, `loops` around it."""

    chain: tuple[Place, ...]
    does: Wait | Queue
    loops: int


class Drain(NamedTuple):
    """A wait, with the calls that lead to it from the loop."""

    wait: Wait
    chain: tuple[Place, ...]
    empties: bool
    """Whether the queue has work that it waits for; behind another wait there is none."""
    is_last: bool
    """Whether no work is launched behind it in the same iteration."""


def course(program: Program, key: UnitKey) -> tuple[Event, ...]:
    """The launches and waits of a function, in order, with those of what it calls."""
    return program.answers.ask(_course, key, bottom=())


def _course(program: Program, path: str, number: int) -> tuple[Event, ...]:
    unit = program.unit((path, number))
    return tuple(_events(program, unit, range(len(unit.ops)), -1))[:LONGEST]


def _events(program: Program, unit: Unit, indices: range, region: int) -> list[Event]:
    found: list[Event] = []
    loops_of: dict[int, int | None] = {}  # None where events count for nothing
    for index in indices:
        op = unit.ops[index]
        if op.kind not in _EVENTFUL:
            continue
        if op.region not in loops_of:
            loops_of[op.region] = _loops_often(program, unit, op.region, region)
        loops = loops_of[op.region]
        if loops is None:
            continue
        place = (*unit.key, index)
        follows = op.kind is Kind.CALL and not compiler_of(program, place)
        inner = _of_call(program, place) if follows else []
        for event in inner:
            _add(found, Event((place, *event.chain), event.does, event.loops + loops))
        does = wait_at(program, place) if inner else _does(program, place)
        if does is not None:
            _add(found, Event((place,), does, loops))
        if len(found) > LONGEST:
            break
    return found


def _does(program: Program, place: Place) -> Wait | Queue | None:
    """What an operation by itself means to the queue."""
    wait = wait_at(program, place)
    if wait is not None:
        return wait
    is_call = program.op(place).kind is Kind.CALL
    if is_call and Trait.WAITS_FOR_ALL in traits_of(program, place):
        return Queue.EMPTIES
    return Queue.FILLS if launches(program, place) else None


def _add(found: list[Event], event: Event) -> None:
    """Add an event; a launch behind a launch tells nothing new."""
    last = found[-1] if found else None
    if last is None or not last.does is event.does is Queue.FILLS or last.loops != event.loops:
        found.append(event)


def _of_call(program: Program, place: Place) -> list[Event]:
    found: list[Event] = []
    for callee in _run_by(program, place):
        target = program.unit(callee.unit)
        if target.is_generator:
            continue
        for event in course(program, callee.unit):
            if len(event.chain) > 8:
                continue
            region = target.ops[event.chain[0][2]].region
            if is_excluded(program, place, callee, target, region):
                continue
            found.append(event)
        if found:
            break
    return found[:LONGEST_INNER]


def _run_by(program: Program, call: Place) -> tuple[Callee, ...]:
    """What a call may run, overrides and what it applies to parts of a structure included."""
    own = (*callees(program, call)[:MOST_CALLEES], *overrides(program, call)[:MOST_CALLEES])
    given = program.op(call).args
    if own or len(given) < _FUNCTION + 1 or Trait.APPLIES not in traits_of(program, call):
        return own
    functions = functions_at(program, (*call[:2], given[_FUNCTION]))
    return tuple([Callee(key, _FUNCTION + 1) for key in functions[:MOST_CALLEES]])


def _loops_often(program: Program, unit: Unit, region: int, loop: int) -> int | None:
    """The number of loops around a region inside of another; None where that seldom runs it."""
    if loop >= 0 and not unit.within(region, loop):
        return None
    if _is_seldom(program, unit, region, loop):
        return None
    return _loops_between(unit, region, loop)


def _is_seldom(program: Program, unit: Unit, region: int, loop: int) -> bool:
    for number in unit.around(region):
        if number == loop:
            return False
        if guard_of(program, unit, number).is_rare:
            return True
    return False


def _told_here(events: list[Event]) -> list[Event]:
    """What an iteration meets, inner loops as one thing.

    An inner loop that launches work has its own drains; one that only reads waits once.
    """
    found: list[Event] = []
    for is_inner, run in groupby(events, lambda event: event.loops > 0):
        part = list(run)
        launches_ = [event for event in part if event.does is Queue.FILLS]
        found += part if not is_inner else launches_ or part[:1]
    return found


def _may_wait(program: Program, unit: Unit, region: int) -> bool:
    """Whether something waits in a region, or in a function that may be run there."""
    return any(
        wait_at(program, (*unit.key, index)) is not None
        or (op.kind is Kind.CALL and _leads_to_wait(program, (*unit.key, index)))
        for index, op in enumerate(unit.ops)
        if op.kind in WAITING and unit.within(op.region, region)
    )


def _leads_to_wait(program: Program, call: Place) -> bool:
    return any(
        program.answers.ask(_waits, callee.unit, bottom=False) for callee in _run_by(program, call)
    )


def _waits(program: Program, path: str, number: int) -> bool:
    return _may_wait(program, program.unit((path, number)), 0)


def _loops_between(unit: Unit, region: int, loop: int) -> int:
    found = 0
    for number in unit.around(region):
        if number == loop:
            break
        found += unit.regions[number].block in LOOPS
    return found


def drains(program: Program, key: UnitKey, region: int) -> tuple[Drain, ...]:
    """The waits of each iteration of a loop, or of a function where the region is its body."""
    return program.answers.ask(_drains, (*key, region), bottom=())


def _drains(program: Program, path: str, number: int, region: int) -> tuple[Drain, ...]:
    unit = program.unit((path, number))
    if not _may_wait(program, unit, region):
        return ()  # mostly: what is launched need not be found out
    course_ = _told_here(_events(program, unit, range(len(unit.ops)), region))
    found: list[Drain] = []
    # What the iteration before launched last is still queued when the next one begins.
    busy = bool(course_) and course_[-1].does is Queue.FILLS
    for position, event in enumerate(course_):
        if isinstance(event.does, Wait):
            rest = course_[position + 1 :]
            is_last = not any(later.does is Queue.FILLS for later in rest)
            found.append(Drain(event.does, event.chain, busy, is_last))
        busy = event.does is Queue.FILLS
    return () if found and is_traced(program, unit.key) else tuple(found)
