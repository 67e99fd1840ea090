"""Whether it is felt that a loop repeats a piece of work, as far as the text tells.

How large the operands are is mostly not known. What is known is how many turns there are about,
whether the operation goes over its operands once or does more, which part of a turn it is, and
what runs in the same turn that surely takes far longer.
"""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph, hooks, reach
from deepperf.semantics.cost import (
    few_turns,
    numpy_passes,
    other_work,
    pair_tables,
    partly_used,
    passes,
    small_operands,
    whole_calls,
)
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, pace, regions
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.loops.pace import Pace
from deepperf.semantics.models import constant, frozen, learning
from deepperf.semantics.names.scopes import Frame
from deepperf.semantics.repetition import filled_arrays, operations, whole_data
from deepperf.semantics.repetition.repetition import Repeated
from deepperf.semantics.vectorization import worth
from deepperf.semantics.vectorization.worth import Turns

_FITTING = frozenset((Trait.FITS,))


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
    if _is_little(analysis, loop, work, fact):
        return False
    if fact.framework == "numpy":
        return numpy_passes.is_felt(analysis, loop, work, fact)
    return _is_felt_of_framework(analysis, loop, work, fact)


def _is_little(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    """Whether it is little whatever does it: done for few, or beside far more."""
    return (
        _goes_over_few(analysis, loop, work)
        or _is_little_beside(analysis, loop, work, fact)
        or (passes.is_inside(work) and pace.reads_off_layers(loop))
        or _is_small_part(analysis, loop, work, fact)
    )


def _goes_over_few(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether the loop goes over few things; the entries of a table may each repeat much."""
    if not few_turns.goes_over_few(loop, loops.over(analysis, loop)):
        return False
    is_table = few_turns.goes_over_entries(loop)
    return not (is_table and whole_calls.repeats_much(analysis, loop, work))


def _is_felt_of_framework(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    """The same of what a framework does, which waits for dispatch, whatever it is."""
    if _is_dwarfed(analysis, loop, work):
        return False
    if not passes.is_pass(work.operation, fact):
        return True
    if _is_made_beside(analysis, loop, work):
        return False
    if _goes_in_steps(analysis, loop, work):
        return _is_felt_in_steps(analysis, loop, work)
    if _is_of_modules_calls(analysis, loop, work):
        return True
    return _is_felt_in_turns(analysis, loop, work, fact)


def _is_made_beside(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether a function makes a pass beside a model, as a join of what that is asked."""
    return (
        passes.is_inside(work)
        and not whole_calls.is_whole(analysis, loop, work)
        and passes.share(analysis, loop, work) < passes.TINY
    )


def _is_felt_in_steps(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether one pass is felt in each step: where the steps make it themselves, or it is large.

    Deep in functions that do other things one pass is little; a solver's steps do far more.
    """
    part = passes.share(analysis, loop, work)
    if part >= passes.LARGE:
        return True
    if work.way and not whole_calls.is_whole(analysis, loop, work):
        return False
    is_solver = isinstance(loop.node, ast.While) and not other_work.asks_or_trains(analysis, loop)
    if is_solver and part < passes.SMALL:
        return False
    # How a module joins what it is given is its own affair.
    return not (passes.is_inside(work) and hooks.is_pass(analysis, work.operation.scope))


def _is_of_modules_calls(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether a function repeats much, in turns that run a module."""
    return (
        passes.is_inside(work)
        and whole_calls.repeats_much(analysis, loop, work)
        and other_work.runs_module(analysis, loop)
    )


def _is_felt_in_turns(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    """Whether one pass is felt in turns that are no steps: by how much of a turn it is."""
    part = passes.share(analysis, loop, work)
    goes_over_elements = loops.over(analysis, loop) is LoopOver.ELEMENTS
    if goes_over_elements and not passes.is_inside(work):
        return part > passes.SIXTH
    if part >= passes.LARGE:
        return True
    if Trait.REDUCES not in fact.traits:
        return False
    return goes_over_elements or (part >= passes.SMALL and small_operands.decides(work.operation))


def _is_small_part(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    """Whether it is a pass within a function, and no large part of what that does."""
    if not whole_calls.is_part(analysis, loop, work):
        return False
    if Trait.COSTLY in fact.traits:
        is_pass = Trait.ELEMENTWISE in fact.traits and fact.framework != "numpy"
        return is_pass and passes.share(analysis, loop, work) < passes.SMALL
    if not passes.is_pass(work.operation, fact) or pair_tables.goes_over_pairs(work.operation):
        return False
    return not (
        whole_calls.is_done_to_both(analysis, work)
        and passes.share(analysis, loop, work) > passes.LARGE
    )


def _turns_seldom(analysis: Analysis, work: Repeated) -> bool:
    """Whether all loops around do; what a framework calls in each step has none of its own."""
    around = work.site.loops
    return bool(around) and all(pace.pace(analysis, one) is Pace.SELDOM for one in around)


def _is_little_beside(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    """Whether it is one pass over an array where nothing is repeated, or beside a model."""
    is_inside = passes.is_inside(work)
    is_one_pass = Trait.ELEMENTWISE in fact.traits and Trait.COSTLY not in fact.traits
    if is_one_pass:
        if is_inside and small_operands.is_arithmetic(analysis, work.operation):
            return not (
                whole_calls.does_much(analysis, loop, work) or _is_mostly_that(analysis, loop, work)
            )
        if not is_inside and (
            len(passes.around(loop)) == 1 or other_work.runs_module(analysis, loop)
        ):
            return True
    if Trait.COSTLY not in fact.traits and reach.reached_sites(analysis, loop, _FITTING):
        return True
    is_copy = not fact.traits.isdisjoint(passes.COPYING)
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
        and passes.share(analysis, loop, work) >= passes.LARGE
        and not any(
            operations.weight(analysis, other.operation)
            > operations.weight(analysis, work.operation)
            for other in passes.beside(analysis, loop, work)
        )
    )


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
    return passes.share(analysis, loop, work) < passes.TINY


def _goes_in_steps(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether the turns are steps: of a training, a generation, or batch by batch."""
    # What has no loop is called in each step by a framework.
    if not work.site.loops or other_work.asks_or_trains(analysis, loop):
        return True
    return any(
        isinstance(one.node, ast.While) or loops.over(analysis, one) is LoopOver.BATCHES
        for one in work.site.loops
    )
