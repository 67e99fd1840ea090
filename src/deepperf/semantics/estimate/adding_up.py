"""Whether what a loop does to one element after the other costs much in all."""

from __future__ import annotations

import math
from typing import NamedTuple

from deepperf.semantics.estimate.cost import (
    Element,
    assumed_trip_count,
    is_long,
    is_many,
    seconds_of,
)
from deepperf.semantics.estimate.enclosing import Enclosing, Pace, enclosing, sets_pace
from deepperf.semantics.frequency.loops import loop_kind, source_of
from deepperf.semantics.ir.table import Block, Unit
from deepperf.semantics.objects.lengths import length
from deepperf.semantics.program.program import Program


class Counts(NamedTuple):
    """Iterations of a loop and of those around it, multiplied."""

    assumed: int  # with what is assumed where it is not known
    known: int  # of those whose number is known
    within: int  # of those within the step or item around them, also assumed ones


def adds_up(
    program: Program, unit: Unit, region: int, element: Element, operations: int = 1
) -> bool:
    """Whether operations on one element in each iteration of a loop cost much."""
    place = (*unit.key, unit.regions[region].op)
    nest = (region, *unit.loops_around(place[2]))
    counts = {one: trip_count_or_assumed(program, unit, one) for one in nest}
    known = [known_trip_count(program, unit, one) or 1 for one in nest]
    within = [counts[one] for one in nest if not sets_pace(program, unit, one)]
    found = Counts(math.prod(counts.values()), math.prod(known), math.prod(within))
    return is_much(found, enclosing(program, place), element, operations)


def is_much(counts: Counts, around: Enclosing, element: Element, operations: int) -> bool:
    """Whether so many operations cost much in all, and beside the step or item around them."""
    runs = assumed_trip_count("repeated") if around.pace is Pace.OFTEN else 1
    if not is_many(counts.assumed, operations * runs, element):
        return False
    spent = operations * seconds_of(element)
    if around.pace is Pace.ONCE and is_long(counts.known * spent):
        return True
    return around.is_much(counts.within * spent)


def known_trip_count(program: Program, unit: Unit, region: int) -> int | None:
    """How many iterations a loop has, where constants of the project tell."""
    if unit.regions[region].block is Block.WHILE:
        return None
    return length(program, (*unit.key, source_of(unit, region)))


def trip_count_or_assumed(program: Program, unit: Unit, region: int) -> int:
    """The same, or as many as are assumed of a loop of its kind."""
    known = known_trip_count(program, unit, region)
    kind = loop_kind(program, (*unit.key, region))
    return assumed_trip_count(kind.value) if known is None else known
