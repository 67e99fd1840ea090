"""Whether it is felt that a loop repeats what NumPy computes.

It dispatches in no time, so that what counts is how large its operands are, and how often it is
done. Neither is known, but for how often loops turn about, and what else they do.
"""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Fact
from deepperf.semantics.calls import callgraph
from deepperf.semantics.cost import other_work, passes, single_runs, whole_calls
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, pace
from deepperf.semantics.loops.pace import Pace
from deepperf.semantics.models import frozen
from deepperf.semantics.names.scopes import CallSite, Frame, ScopeKind
from deepperf.semantics.repetition.repetition import Repeated
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.vectorization import worth
from deepperf.semantics.vectorization.worth import Turns

FEW = 32
"""Turns in which NumPy does little, where nothing repeats the loop."""


def is_felt(analysis: Analysis, loop: Frame, work: Repeated, fact: Fact) -> bool:
    """Whether what NumPy does in the turns of a loop costs what would be felt."""
    if _comes_with_question(analysis, loop, work):
        return False
    part = passes.share(analysis, loop, work)
    takes_long = passes.takes_long(work.operation, fact)
    if takes_long:
        part = max(part, passes.share_of_costly(analysis, loop, work))
    if part < passes.SMALL or _turns_few_times(analysis, loop):
        return False
    if takes_long:
        is_most = part >= 2 * passes.LARGE
        return is_most or (part > passes.SIXTH and not _is_soon_over(analysis, work))
    if _waits_for_others(analysis, loop, work):
        return False
    return _is_picked_of_much(analysis, loop, work) or _turns_enough(analysis, loop, work, part)


def _comes_with_question(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether it is made of a model's answer: it is repeated with the question."""
    others = passes.beside(analysis, loop, work)
    return any(frozen.asked(analysis, other.operation) is not None for other in others)


def _turns_few_times(analysis: Analysis, loop: Frame) -> bool:
    trips = loops.trips(analysis, loop)
    return trips is not None and trips < FEW and len(passes.around(loop)) == 1


def _waits_for_others(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether a pass over an array is soon done, beside what is done in the turns or with them."""
    if worth.runs_steps(analysis, loop) or other_work.asks_or_trains(analysis, loop):
        return True
    # Some tens of turns beside a step of a model, for each of which they are gone through.
    outer = [one for one in passes.around(loop) if one is not loop]
    if worth.turns(analysis, loop) < Turns.MANY and any(
        worth.runs_steps(analysis, one) for one in outer
    ):
        return True
    # A turn that gives something away waits for what is done with it.
    if other_work.stands_by_picture(analysis, loop) or _gives(loop):
        return True
    # Where an object is made, all is done once.
    return work.site.scope.name == "__init__" and work.site.scope.kind is ScopeKind.FUNCTION


def _is_picked_of_much(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether a turn computes all to take one of it, where that is much, or there are many turns.

    What a property sums up of a few things is soon computed, for each of them.
    """
    return _is_picked(work) and not (
        whole_calls.does_no_more(analysis, work) and worth.turns(analysis, loop) < Turns.MANY
    )


def _is_soon_over(analysis: Analysis, work: Repeated) -> bool:
    """Whether some tens of turns are all there is, in a program's lines or to make an object."""
    around = _unconditional(work.site)
    is_setup = single_runs.is_part_of_setup(analysis, work.site.scope)
    if not (is_setup or work.site.scope.kind is ScopeKind.MODULE):
        return False
    if _is_watched(analysis, around):
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
        total += part >= passes.LARGE
    # Three loops within each other turn often, few as the turns of each may be.
    if total > Turns.MANY or sum(not loops.is_tiny(analysis, one) for one in around) > 2:
        return True
    is_whole = whole_calls.is_whole(analysis, loop, work)
    is_large = part >= passes.LARGE and not whole_calls.does_no_more(analysis, work)
    if is_whole and (total >= Turns.MANY or is_large):
        return total > Turns.FEW
    is_often = worth.runs_often(analysis, work.site.scope)
    if total < Turns.MANY:
        return is_often and part >= 2 * passes.LARGE
    return is_often or not single_runs.runs_once(analysis, work.site.scope)


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
