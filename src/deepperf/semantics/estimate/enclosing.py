"""What the code around a loop takes: the step, item or request beside which its cost is held."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.records import Level, Role
from deepperf.semantics import bridge
from deepperf.semantics.callgraph.calls import callers
from deepperf.semantics.estimate.cost import (
    Cost,
    Iteration,
    is_much_of_run,
    level_of,
    seconds_of,
)
from deepperf.semantics.frequency.loops import LoopKind, loop_kind, trip_count
from deepperf.semantics.frequency.runs import around, hooks_of
from deepperf.semantics.ir.table import LOOPS, Block, Unit
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.reach import reached_by

_STEPS = {
    LoopKind.STEP: Iteration.STEP,
    LoopKind.BATCH: Iteration.BATCH,
    LoopKind.TOKEN: Iteration.TOKEN,
    LoopKind.EPOCH: Iteration.EPOCH,
}
_OFTEN = frozenset(("step", "batch", "token", "item", "request"))
_ONCE = frozenset(("run", "seldom", "epoch"))
_HEAVY: Mapping[Trait, Cost | Iteration] = {
    Trait.GENERATES: Cost.GENERATE,
    Trait.LOADS_MODEL: Cost.LOAD_MODEL,
    Trait.READS_FILE: Cost.READ_FILE,
}
"""What takes so long that small operations beside it hardly count."""
_OF_A_STEP: Mapping[Trait, Cost | Iteration] = {
    Trait.RUNS_MODULE: Cost.FORWARD,
    Trait.BACKPROPAGATES: Iteration.STEP,
    Trait.STEPS_TRAINING: Iteration.STEP,
}
"""The same, of which a step as a whole is made: beside it, what inner loops repeat counts."""
_PASSES = (Trait.FITS, Trait.EVALUATES)
_MOST_SECONDS = 1e6


class Pace(enum.Enum):
    """How often a place of the program is seen to be come to."""

    OFTEN = "often"  # in each step, batch, item or request, or until something converges
    ONCE = "once"  # once in a run, or seldom
    UNKNOWN = "unknown"


class Enclosing(NamedTuple):
    """What is around a place: how often it is come to, and the seconds that the rest takes."""

    pace: Pace
    seconds: float

    def is_much(self, seconds: float) -> bool:
        """Whether what takes so long here is worth a warning beside the rest."""
        share = seconds / (seconds + self.seconds)
        if self.pace is Pace.ONCE:
            return is_much_of_run(share)
        return level_of(share) is Level.WARNING


def pace(program: Program, place: Place) -> Pace:
    """How often a place is come to; that it is called somewhere in a loop is not often."""
    found = around(program, place)
    if not _OFTEN.isdisjoint(found) or _is_in_open_loop(program, place):
        return Pace.OFTEN
    return Pace.UNKNOWN if _ONCE.isdisjoint(found) else Pace.ONCE


def _is_in_open_loop(program: Program, place: Place) -> bool:
    """Whether a `while` loop of its function is around it."""
    unit = program.unit(place[:2])
    return any(unit.regions[r].block is Block.WHILE for r in unit.loops_around(place[2]))


def enclosing(program: Program, place: Place) -> Enclosing:
    """What is around a place, the way on which the rest takes least."""
    seconds = program.answers.ask(_rest, *place, bottom=math.inf)
    if math.isinf(seconds):
        seconds = seconds_of(Iteration.UNKNOWN)
    return Enclosing(pace(program, place), seconds)


def sets_pace(program: Program, unit: Unit, region: int) -> bool:
    """Whether a cost is held against an iteration of a loop: one of steps, or an open one."""
    is_open = unit.regions[region].block is Block.WHILE
    return is_open or loop_kind(program, (*unit.key, region)) in _STEPS


def _rest(program: Program, path: str, number: int, index: int) -> float:
    """Seconds that an iteration around a place takes, or the function, over its callers."""
    unit = program.unit((path, number))
    for region in unit.loops_around(index):
        if sets_pace(program, unit, region):
            kind = _STEPS.get(loop_kind(program, (path, number, region)))
            if kind is None:
                return max(seconds_of(Iteration.UNKNOWN), _all(program, unit, region))
            return seconds_of(kind) + _heavy(program, unit, region)
    hooked = hooks_of(program, unit)
    ways = [seconds_of(Iteration(word)) for word in hooked if word in _NAMED]
    if unit.kind == "module":
        return max(seconds_of(Iteration.UNKNOWN), _all(program, unit, 0))
    own = _heavy(program, unit, 0) if ways else 0.0
    calls = _calls(program, unit)
    ways += [program.answers.ask(_rest, *call, bottom=math.inf) for call in calls]
    return max(own, min(ways, default=math.inf))


_NAMED = frozenset(one.value for one in Iteration)


def _calls(program: Program, unit: Unit) -> list[Place]:
    """The calls that run a function; those of tests where there are no others."""
    found = [edge.call for edge in callers(program, unit.key)]
    roles = {path: bridge.role(program.project, path) for path, _, _ in found}
    return [call for call in found if roles[call[0]] is not Role.TEST] or found


def _all(program: Program, unit: Unit, region: int) -> float:
    """Seconds of what an iteration of a loop, or a function, does that takes long."""
    return _heavy(program, unit, region, 1)


def _heavy(program: Program, unit: Unit, region: int, least: int = 2) -> float:
    """The same, where the parts of a step count from a number of times on."""
    total = 0.0
    for index in unit.calls:
        if not unit.within(unit.ops[index].region, region):
            continue
        reached = reached_by(program, (*unit.key, index))
        if any(trait in reached for trait in _PASSES):
            total += seconds_of(Iteration.EPOCH)
        times = math.prod([_times(program, unit, r, region) for r in unit.loops_around(index)])
        spent = [0.0]
        for trait, cost in (*_HEAVY.items(), *_OF_A_STEP.items()):
            if trait in reached and not reached[trait].seldom:
                all_times = times * (_REPEATED if reached[trait].loops else 1)
                if trait in _HEAVY or all_times >= least:
                    spent.append(seconds_of(cost) * all_times)
        total += max(spent)
    return min(total, _MOST_SECONDS)


_REPEATED = 10
"""Iterations that are assumed of a loop around something that takes long."""


def _times(program: Program, unit: Unit, loop: int, region: int) -> int:
    """How often a loop inside of a region runs what is in it."""
    if loop == region or not unit.within(loop, region) or unit.regions[loop].block not in LOOPS:
        return 1
    count = trip_count(program, (*unit.key, loop))
    return _REPEATED if count is None else count
