"""Which traits a function may reach, and through which calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import callees
from deepperf.semantics.frequency.excluded import is_excluded
from deepperf.semantics.frequency.guards import guard_of
from deepperf.semantics.ir.table import Unit
from deepperf.semantics.objects.origin import Place, UnitKey
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.makers import gradient_makers
from deepperf.semantics.summaries.traits import traits_of

LONGEST = 12
"""Calls in a row after which what is reached counts as too far away to tell of."""
DEEPEST_LOOPS = 4
"""More loops around a trait than these are not told apart."""


class Reached(NamedTuple):
    """How a trait is reached: the calls, the first in the function itself, the last has it.

    `seldom` and `loops` order them: what is always done, and outside of loops, comes first.
    `deepest` is the number of loops around the trait on the way that has most.
    """

    seldom: int
    loops: int
    chain: tuple[Place, ...]
    deepest: int = 0


Summary = Mapping[Trait, Reached]
_NONE: Summary = {}


def summary(program: Program, key: UnitKey) -> Summary:
    """For each trait that calling a function may reach, the shortest way there."""
    return program.answers.ask(_summary, key, bottom=_NONE)


def _summary(program: Program, path: str, number: int) -> Summary:
    unit = program.unit((path, number))
    found: dict[Trait, Reached] = {}
    seldom_in: dict[int, int] = {}
    for index in unit.calls:
        ways = reached_by(program, (path, number, index))
        if not ways:
            continue
        loops = len(unit.loops_around(index))
        region = unit.ops[index].region
        if region not in seldom_in:
            seldom_in[region] = int(_is_seldom(program, unit, region))
        seldom = seldom_in[region]
        for trait, reached in ways.items():
            deepest = min(reached.deepest + loops, DEEPEST_LOOPS)
            way = Reached(reached.seldom + seldom, reached.loops + loops, reached.chain, deepest)
            known = found.get(trait)
            best = way if known is None or _rank(way) < _rank(known) else known
            most = deepest if known is None else max(deepest, known.deepest)
            found[trait] = best._replace(deepest=most)
    return found


def _rank(way: Reached) -> tuple[int, int, int, tuple[Place, ...]]:
    return way.seldom, way.loops, len(way.chain), way.chain


def _is_seldom(program: Program, unit: Unit, region: int) -> bool:
    return any(guard_of(program, unit, outer).is_rare for outer in unit.around(region))


def reached_by(program: Program, call: Place) -> Summary:
    """The same for one call: its own traits, and those of the project's functions it runs."""
    return program.answers.ask(_reached_by, call, bottom=_NONE)


def _reached_by(program: Program, path: str, number: int, index: int) -> Summary:
    call = (path, number, index)
    found = {trait: Reached(0, 0, (call,)) for trait in traits_of(program, call)}
    if gradient_makers(program, call):
        found[Trait.DIFFERENTIATES] = Reached(0, 0, (call,))
    for callee in callees(program, call):
        target = program.unit(callee.unit)
        # What the call passes may make a branch impossible: one on `is None`, or on a flag.
        excluded: dict[int, bool] = {}
        for trait, way in summary(program, callee.unit).items():
            if trait in found or len(way.chain) >= LONGEST:
                continue
            region = target.ops[way.chain[0][2]].region
            if region not in excluded:
                excluded[region] = is_excluded(program, call, callee, target, region)
            if not excluded[region]:
                found[trait] = way._replace(chain=(call, *way.chain))
    return found
