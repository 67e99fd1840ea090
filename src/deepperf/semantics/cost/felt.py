"""Whether it is felt that a loop repeats a piece of work, as far as the text tells.

How large the operands are is mostly not known. What is known is how many turns there are about,
whether the operation goes over its operands once or does more, which part of a turn it is, and
what runs in the same turn that surely takes far longer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callers, callgraph, hooks, reach
from deepperf.semantics.cost import (
    few_turns,
    other_work,
    pair_tables,
    partly_used,
    small_operands,
    turn_share,
    whole_calls,
)
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, pace, regions
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.loops.pace import Pace
from deepperf.semantics.models import constant, frozen, learning
from deepperf.semantics.names.scopes import (
    CallSite,
    Frame,
    Scope,
    ScopeKind,
)
from deepperf.semantics.repetition import filled_arrays, operations, repetition, whole_data
from deepperf.semantics.repetition.repetition import Repeated
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.vectorization import worth
from deepperf.semantics.vectorization.worth import Turns

FEW = 32
"""Turns in which NumPy does little, where nothing repeats the loop."""
SMALL = 1 / 8
"""The part of a turn below which an operation is little beside the others."""
TINY = 1 / 32
"""The part of a turn below which what a framework dispatches is little, too."""
SIXTH = 1 / 6
"""The part of a turn up to which what takes NumPy long is little."""
LARGE = 1 / 4
"""The part of a turn from which one pass over an array is much of it."""
_FARTHEST = 3
_COPYING = frozenset((Trait.CREATES_ARRAY, Trait.ARRANGES, Trait.JOINS))
_FITTING = frozenset((Trait.FITS,))
_AXES = ("axis", "dim")
_PASSES = _COPYING | {Trait.ELEMENTWISE, Trait.REDUCES}


def is_felt(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether what the turns of a loop repeat costs what would be felt."""
    if _turns_seldom(analysis, work) or few_turns.turns_little(analysis, loop, work):
        return False
    if frozen.asked(analysis, work.operation) is not None:
        return True
    if whole_data.is_fed(analysis, work.operation):
        return whole_data.goes_by_numbers(analysis, work.operation)
    if filled_arrays.filled(analysis, work.operation) is not None:
        return not other_work.draws(analysis, loop)
    fact = callgraph.fact_at(analysis, work.operation)
    if fact is None:
        return False
    if small_operands.is_of_little(analysis, work.operation) or other_work.draws(analysis, loop):
        return False
    if Trait.REDUCES in fact.traits and partly_used.is_of_whole(analysis, loop, work.operation):
        return True
    over = loops.over(analysis, loop)
    if few_turns.goes_over_few(loop, over):
        is_table = few_turns.goes_over_entries(loop)
        if not (is_table and whole_calls.repeats_much(analysis, loop, work)):
            return False
    if _is_little_beside(analysis, loop, work, fact):
        return False
    if work.operation.scope is not work.site.scope and pace.reads_off_layers(loop):
        return False
    if whole_calls.is_part(analysis, loop, work) and _is_small_part(analysis, loop, work, fact):
        return False
    if fact.framework == "numpy":
        return _is_felt_of_numpy(analysis, loop, work, fact)
    is_inside = work.operation.scope is not work.site.scope
    is_whole = whole_calls.is_whole(analysis, loop, work)
    part = _share(analysis, loop, work)
    if _is_dwarfed(analysis, loop, work):
        return False
    # What frameworks do waits for dispatch, whatever it is: in each step that is felt.
    if not _is_pass(work.operation, fact):
        return True
    # A pass that a function makes beside a model, as a join of what that is asked, is as little.
    if is_inside and not is_whole and part < TINY:
        return False
    if _goes_in_steps(analysis, loop, work):
        # Deep in functions that do other things one pass is little; a solver's steps do far more.
        is_near = not work.way or is_whole
        is_solver = isinstance(loop.node, ast.While) and not other_work.asks_or_trains(
            analysis, loop
        )
        is_near = is_near and not (is_solver and part < SMALL)
        # How a module joins what it is given is its own affair.
        is_near = is_near and not (is_inside and hooks.is_pass(analysis, work.operation.scope))
        return is_near or part >= LARGE
    repeats_much = is_inside and whole_calls.repeats_much(analysis, loop, work)
    if repeats_much and other_work.runs_module(analysis, loop):
        return True
    if over is LoopOver.ELEMENTS and not is_inside:
        return part > SIXTH
    if Trait.REDUCES in fact.traits:
        decides = part >= SMALL and small_operands.decides(work.operation)
        return over is LoopOver.ELEMENTS or decides or part >= LARGE
    return part >= LARGE


def _is_small_part(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    """Whether it is a pass within a function, and no large part of what that does."""
    if Trait.COSTLY in fact.traits:
        is_pass = Trait.ELEMENTWISE in fact.traits and fact.framework != "numpy"
        return is_pass and _share(analysis, loop, work) < SMALL
    if not _is_pass(work.operation, fact) or pair_tables.goes_over_pairs(work.operation):
        return False
    return not (
        whole_calls.is_done_to_both(analysis, work) and _share(analysis, loop, work) > LARGE
    )


def _turns_seldom(analysis: Analysis, work: Repeated) -> bool:
    """Whether all loops around do; what a framework calls in each step has none of its own."""
    around = work.site.loops
    return bool(around) and all(pace.pace(analysis, one) is Pace.SELDOM for one in around)


def _is_pass(site: CallSite, fact: Fact) -> bool:
    """Whether it goes over its operands once, which may be short."""
    is_costly = Trait.COSTLY in fact.traits
    if fact.traits.isdisjoint(_PASSES):
        return fact.framework == "numpy" and not is_costly
    # Where it says along which axis, it works on a table.
    if is_costly and Trait.REDUCES in fact.traits:
        return not any(keyword.arg in _AXES for keyword in site.node.keywords)
    return not is_costly or Trait.ELEMENTWISE not in fact.traits


def _is_little_beside(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    """Whether it is one pass over an array where nothing is repeated, or beside a model."""
    is_inside = work.operation.scope is not work.site.scope
    is_one_pass = Trait.ELEMENTWISE in fact.traits and Trait.COSTLY not in fact.traits
    if is_one_pass:
        if is_inside and small_operands.is_arithmetic(analysis, work.operation):
            return not (
                whole_calls.does_much(analysis, loop, work) or _is_mostly_that(analysis, loop, work)
            )
        if not is_inside and (len(_around(loop)) == 1 or other_work.runs_module(analysis, loop)):
            return True
    if Trait.COSTLY not in fact.traits and reach.reached_sites(analysis, loop, _FITTING):
        return True
    is_copy = not fact.traits.isdisjoint(_COPYING)
    is_light = is_one_pass or (is_copy and not constant.joins_collected(analysis, work.operation))
    if is_light and not is_inside and other_work.asks_or_trains(analysis, loop):
        return True
    places = (*work.way, work.operation)
    return (
        Trait.COSTLY not in fact.traits
        and work.site.loops[-1:] == (loop,)
        and not any(place.loops for place in places if place.scope is not loop.scope)
        and other_work.computes_in_loops(analysis, loop)
        and not (is_inside and _is_mostly_that(analysis, loop, work))
    )


def _is_mostly_that(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether a function that does much is called with the same, and is a large part of each turn.

    Where it does what takes longer, too, that tells of it.
    """
    return (
        worth.turns(analysis, loop) >= Turns.MANY
        and whole_calls.repeats_much(analysis, loop, work)
        and _share(analysis, loop, work) >= LARGE
        and not any(
            operations.weight(analysis, other.operation)
            > operations.weight(analysis, work.operation)
            for other in _beside(analysis, loop, work)
        )
    )


def _beside(analysis: Analysis, loop: Frame, work: Repeated) -> Iterator[Repeated]:
    """What else the same call in the loop repeats, by way of the same function."""
    for other in repetition.repeated_work(analysis, loop):
        if other.site is work.site and other.way[:1] == work.way[:1]:
            yield other


def _is_dwarfed(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether what a framework does is next to nothing in a turn, or in all turns.

    In steps of a training nothing is. A turn for each pair of things, written out, is for few.
    """
    if few_turns.goes_by_pairs(work):
        return True
    # PyTorch is done with a list of numbers before a module has begun.
    fact = callgraph.fact_at(analysis, work.operation)
    is_of_torch = fact is not None and fact.framework == "torch"
    if (
        is_of_torch
        and small_operands.is_of_vectors(analysis, work.operation)
        and other_work.runs_module(analysis, loop)
    ):
        return True
    # What has no loop is called in each step by a framework.
    if not work.site.loops or learning.learns(analysis, regions.region_of_loop(analysis, loop)):
        return False
    return _share(analysis, loop, work) < TINY


def _around(loop: Frame) -> tuple[Frame, ...]:
    outer = (one for one in loop.scope.loops if loop in loops.loops_within(one))
    return (*outer, loop)


def _share(analysis: Analysis, loop: Frame, work: Repeated) -> float:
    """Which part of a turn it is, by counting operations."""
    way = (work.site, *work.way)
    if work.operation.scope is work.site.scope:
        return turn_share.share(analysis, loop, (work.operation,))
    return turn_share.share(analysis, loop, (*way, work.operation))


def _share_of_costly(analysis: Analysis, loop: Frame, work: Repeated) -> float:
    """Which part of a turn all is that takes NumPy long and is repeated by calls of one function.

    What a framework calls in each step has no such calls of its own.
    """
    called = ast.dump(work.site.node.func)
    return sum(
        _share(analysis, loop, one)
        for one in repetition.repeated_work(analysis, loop)
        if one.operation.scope is not loop.scope
        and ast.dump(one.site.node.func) == called
        and _takes_numpy_long(analysis, one.operation)
    )


def _takes_numpy_long(analysis: Analysis, site: CallSite) -> bool:
    fact = callgraph.fact_at(analysis, site)
    return fact is not None and fact.framework == "numpy" and _takes_long(site, fact)


def _takes_long(site: CallSite, fact: Fact) -> bool:
    """Whether it does more than to go over its operands once."""
    if pair_tables.goes_over_pairs(site):
        return True
    return Trait.COSTLY in fact.traits and not _is_pass(site, fact)


# How much of the time


def _is_felt_of_numpy(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    # What is made of a model's answer is repeated with the question.
    others = _beside(analysis, loop, work)
    if any(frozen.asked(analysis, other.operation) is not None for other in others):
        return False
    part = _share(analysis, loop, work)
    is_costly = _takes_long(work.operation, fact)
    if is_costly:
        part = max(part, _share_of_costly(analysis, loop, work))
    trips = loops.trips(analysis, loop)
    if part < SMALL or (trips is not None and trips < FEW and len(_around(loop)) == 1):
        return False
    if is_costly:
        return part >= 2 * LARGE or (part > SIXTH and not _is_soon_over(analysis, work))
    if worth.runs_steps(analysis, loop) or other_work.asks_or_trains(analysis, loop):
        return False
    # Some tens of turns beside a step of a model, for each of which they are gone through.
    beside = [one for one in _around(loop) if one is not loop]
    if worth.turns(analysis, loop) < Turns.MANY and any(
        worth.runs_steps(analysis, one) for one in beside
    ):
        return False
    # A turn that gives something away waits for what is done with it.
    if other_work.stands_by_picture(analysis, loop) or _gives(loop):
        return False
    # Where an object is made, all is done once.
    if work.site.scope.name == "__init__" and work.site.scope.kind is ScopeKind.FUNCTION:
        return False
    # What a property sums up of a few things is soon computed, for each of them.
    is_little = (
        whole_calls.does_no_more(analysis, work) and worth.turns(analysis, loop) < Turns.MANY
    )
    is_picked = _is_picked(work) and not is_little
    return is_picked or _turns_enough(analysis, loop, work, part)


def _is_soon_over(analysis: Analysis, work: Repeated) -> bool:
    """Whether some tens of turns are all there is, in a program's own lines."""
    around = _unconditional(work.site)
    if work.site.scope.kind is not ScopeKind.MODULE or _is_watched(analysis, around):
        return False
    if any(pace.pace(analysis, one) is Pace.OFTEN for one in around):
        return False
    return sum(worth.turns(analysis, one) for one in around) < Turns.MANY


def _is_watched(analysis: Analysis, around: list[Frame]) -> bool:
    """Whether a bar shows how far a loop has come, as those do that take long."""
    return any(
        name.partition(".")[0] == "tqdm"
        for one in around
        if isinstance(iterable := loops.iterable_of(one), ast.Call)
        for name in callgraph.external_names(values.evaluate(analysis, iterable.func, one.scope))
    )


def _turns_enough(analysis: Analysis, loop: Frame, work: Repeated, part: float) -> bool:
    """Whether one pass over an array of any size is repeated so often that it is felt."""
    around = _unconditional(work.site)
    total: int = sum(worth.turns(analysis, one) for one in around)
    if any(isinstance(one.node, ast.While) for one in around):
        total += part >= LARGE
    # Three loops within each other turn often, few as the turns of each may be.
    if total > Turns.MANY or sum(not loops.is_tiny(analysis, one) for one in around) > 2:
        return True
    is_whole = whole_calls.is_whole(analysis, loop, work)
    is_large = part >= LARGE and not whole_calls.does_no_more(analysis, work)
    if is_whole and (total >= Turns.MANY or is_large):
        return total > Turns.FEW
    is_often = worth.runs_often(analysis, work.site.scope)
    if total < Turns.MANY:
        return is_often and part >= 2 * LARGE
    return is_often or not runs_once(analysis, work.site.scope)


def _unconditional(site: CallSite) -> list[Frame]:
    """The loops around, up to one in which a condition decides whether the next is turned."""
    found: list[Frame] = []
    is_decided = False
    for frame in reversed(site.frames):
        if frame.is_loop:
            if is_decided:
                break
            found.append(frame)
        elif found and isinstance(frame.node, ast.If):
            is_decided = True
    return found


def _is_picked(work: Repeated) -> bool:
    """Whether a turn takes an item, by its own number, of what it computes as a whole."""
    turning = {name for one in work.site.loops for name in loops.targets(one)}
    return any(
        isinstance(part, ast.Subscript)
        and part.value is work.site.node
        and not turning.isdisjoint(tree.names_in(part.slice))
        for part in tree.walk(work.site.statement)
    )


def _gives(loop: Frame) -> bool:
    return any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in tree.walk(loop.node))


def _goes_in_steps(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether the turns are steps: of a training, a generation, or batch by batch."""
    # What has no loop is called in each step by a framework.
    if not work.site.loops or other_work.asks_or_trains(analysis, loop):
        return True
    return any(
        isinstance(one.node, ast.While) or loops.over(analysis, one) is LoopOver.BATCHES
        for one in work.site.loops
    )


def runs_once(analysis: Analysis, function: Scope, steps: int = _FARTHEST) -> bool:
    """Whether a function is known to be run once in a run of the program."""
    if function.kind is not ScopeKind.FUNCTION:
        return function.kind is ScopeKind.MODULE

    def find() -> bool:
        found = callers.callers(analysis, function)
        return bool(found) and all(
            not site.loops and runs_once(analysis, site.scope, steps - 1) for site in found
        )

    return steps > 0 and analysis.remember(("runs once", function, steps), find, otherwise=False)
