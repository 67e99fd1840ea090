"""How much an operation does that a loop repeats: one pass over its operands, or more of a turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.cost import pair_tables, turn_share
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame
from deepperf.semantics.repetition import repetition
from deepperf.semantics.repetition.repetition import Repeated

SMALL = 1 / 8
"""The part of a turn below which an operation is little beside the others."""
TINY = 1 / 32
"""The part of a turn below which what a framework dispatches is little, too."""
SIXTH = 1 / 6
"""The part of a turn up to which what takes NumPy long is little."""
LARGE = 1 / 4
"""The part of a turn from which one pass over an array is much of it."""
COPYING = frozenset((Trait.CREATES_ARRAY, Trait.ARRANGES, Trait.JOINS))
_AXES = ("axis", "dim")
_PASSES = COPYING | {Trait.ELEMENTWISE, Trait.REDUCES}


def is_inside(work: Repeated) -> bool:
    """Whether a function does it that the loop calls, and not the loop itself."""
    return work.operation.scope is not work.site.scope


def is_pass(site: CallSite, fact: Fact) -> bool:
    """Whether it goes over its operands once, which may be short."""
    is_costly = Trait.COSTLY in fact.traits
    if fact.traits.isdisjoint(_PASSES):
        return fact.framework == "numpy" and not is_costly
    # Where it says along which axis, it works on a table.
    if is_costly and Trait.REDUCES in fact.traits:
        return not any(keyword.arg in _AXES for keyword in site.node.keywords)
    return not is_costly or Trait.ELEMENTWISE not in fact.traits


def takes_long(site: CallSite, fact: Fact) -> bool:
    """Whether it does more than to go over its operands once."""
    if pair_tables.goes_over_pairs(site):
        return True
    return Trait.COSTLY in fact.traits and not is_pass(site, fact)


def _takes_numpy_long(analysis: Analysis, site: CallSite) -> bool:
    fact = callgraph.fact_at(analysis, site)
    return fact is not None and fact.framework == "numpy" and takes_long(site, fact)


def share(analysis: Analysis, loop: Frame, work: Repeated) -> float:
    """Which part of a turn it is, by counting operations."""
    way = (work.site, *work.way)
    if not is_inside(work):
        return turn_share.share(analysis, loop, (work.operation,))
    return turn_share.share(analysis, loop, (*way, work.operation))


def share_of_costly(analysis: Analysis, loop: Frame, work: Repeated) -> float:
    """Which part of a turn all is that takes NumPy long and is repeated by calls of one function.

    What a framework calls in each step has no such calls of its own.
    """
    called = ast.dump(work.site.node.func)
    return sum(
        share(analysis, loop, one)
        for one in repetition.repeated_work(analysis, loop)
        if one.operation.scope is not loop.scope
        and ast.dump(one.site.node.func) == called
        and _takes_numpy_long(analysis, one.operation)
    )


def beside(analysis: Analysis, loop: Frame, work: Repeated) -> Iterator[Repeated]:
    """What else the same call in the loop repeats, by way of the same function."""
    for other in repetition.repeated_work(analysis, loop):
        if other.site is work.site and other.way[:1] == work.way[:1]:
            yield other


def around(loop: Frame) -> tuple[Frame, ...]:
    """A loop and those around it, outermost first."""
    outer = (one for one in loop.scope.loops if loop in loops.loops_within(one))
    return (*outer, loop)
