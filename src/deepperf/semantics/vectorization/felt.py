"""Whether what a loop does to single numbers is felt beside the rest that runs with it.

A number takes NumPy or Python about a microsecond, an operation on arrays, or a call of which
nothing is known, some ten: tens of numbers are nothing beside eight of these, and of thousands
nobody is aware who waits for dozens of them, or for a picture.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.cost import other_work, turn_share
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind, last_name
from deepperf.semantics.sizes import dimensions, rows
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.vectorization import updates, worth
from deepperf.semantics.vectorization.worth import Cost, Turns

LONG = 10_000
"""Turns in which NumPy takes milliseconds over single numbers."""
_OF_FILE = 30
_TRAINING = frozenset((Trait.FITS, Trait.TRAINS))
_DWARFING = {Turns.FEW: 1, Turns.SOME: 8, Turns.MANY: 30}
"""Operations beside which so many numbers are nothing."""
_ANSWERING = frozenset(("decision_function", "predict", "predict_proba", "score"))
"""Functions by which models of NumPy answer: what they do before takes longer than one look."""
_SHOWING = frozenset(("plot", "show", "visualise", "visualize"))
"""Verbs that begin the names of functions for what somebody looks at; samples are drawn, too."""
_MANY = frozenset(
    """cols columns docs documents edges examples frames h height images nodes pixels points rows
    reviews samples sentences texts tokens users w width words""".split()  # noqa: SIM905
)
"""Words that end the names of what counts, or lists, what there are many of."""
_DATA_SETS = frozenset(("corpus", "dataset", "train", "training"))
"""Words in the names of data sets, and of parts of them."""
_PLAIN = frozenset(dir(builtins))


def is_felt(analysis: Analysis, loop: Frame, cost: Cost) -> bool:
    """Whether all turns of a loop cost what would be felt, each working on one element."""
    if not worth.is_felt(analysis, loop, cost):
        return False
    around = worth.standing_around(loop)
    is_one_pass = sum(worth.turns(analysis, one) for one in around) == Turns.MANY
    if cost is Cost.DISPATCHED:
        is_over = is_one_pass and loop.scope.kind is ScopeKind.MODULE
        return not is_over and not _goes_over_few_made(analysis, loop)
    if _work_of_turn(analysis, loop) >= _DWARFING[Turns.SOME]:
        return False
    if is_one_pass:
        passes = _runs_once if _has_rows(analysis, around) else _is_small
        if passes(analysis, loop):
            return False
    return not _is_little(analysis, around)


def is_shown(analysis: Analysis, loop: Frame, cost: Cost) -> bool:
    """Whether the text shows that all turns of a loop are felt, and does not only leave it open.

    What a framework dispatches has to be done for rows, not for tens of things. One pass of NumPy
    over an array of unknown length shows nothing; turns within turns do, and thousands told.
    """
    if not is_felt(analysis, loop, cost):
        return False
    counts = [worth.turns(analysis, one) for one in worth.standing_around(loop)]
    if cost is Cost.DISPATCHED:
        return sum(counts) >= Turns.MANY
    counts += [worth.turns(analysis, one) for one in loops.loops_within(loop) if one is not loop]
    is_nested = sum(count > Turns.FEW for count in counts) > 1
    return is_nested or Turns.EVERY in counts or _told_turns(analysis, loop) >= LONG


def _told_turns(analysis: Analysis, loop: Frame) -> int:
    """How many turns the text tells, where callers give the array too; 0 where it does not."""
    trips = loops.trips(analysis, loop)
    if trips is not None:
        return trips
    measured = [(part, loop.scope) for part in loops.gone_over(analysis, loop)]
    iterable = loops.iterable_of(loop)
    if isinstance(iterable, ast.Call) and last_name(iterable.func) == "range" and iterable.args:
        end = iterable.args[min(len(iterable.args), 2) - 1]
        measured = [place for place in (dimensions.measured(analysis, end, loop.scope),) if place]
    told = [rows.rows(analysis, *place) for place in measured]
    return min((count for count in told if count is not None), default=0)


def _goes_over_few_made(analysis: Analysis, loop: Frame) -> bool:
    """Whether it goes over lists of which each has a part for each turn of a loop of few."""
    frames = {id(one.node): one for one in loop.scope.loops}
    made = [
        frames.get(id(found[0].value)) if len(found) == 1 else None
        for part in loops.gone_over(analysis, loop)
        if isinstance(part, ast.Name)
        for found in (values.definitions_of(analysis, part, loop.scope),)
    ]
    return bool(made) and all(
        one is not None and worth.turns(analysis, one) is Turns.FEW for one in made
    )


def _has_rows(analysis: Analysis, around: tuple[Frame, ...]) -> bool:
    return any(worth.turns(analysis, one) >= Turns.MANY for one in around)


def _is_small(analysis: Analysis, loop: Frame) -> bool:
    """Whether tens of tens of turns are over at once, and do not come again and again."""
    around = worth.standing_around(loop)
    if any(map(_is_named_for_many, around)):
        return False
    return _runs_once(analysis, loop) or not worth.runs_often(analysis, loop.scope)


def _is_named_for_many(loop: Frame) -> bool:
    """Whether it counts, or goes over, what there are thousands of by its name, as pixels are."""
    iterable = loops.iterable_of(loop)
    return iterable is not None and any(
        words[-1] in _MANY or not _DATA_SETS.isdisjoint(words)
        for part in tree.walk(iterable)
        for name in (str(getattr(part, "id", "") or getattr(part, "attr", "")),)
        for words in (name.lower().split("_"),)
    )


def _runs_once(analysis: Analysis, loop: Frame) -> bool:
    """Whether it stands in what runs once, or beside a picture, a training or an answer."""
    scope = loop.scope
    if scope.kind is ScopeKind.MODULE or scope.name in _ANSWERING:
        return True
    if scope.name.strip("_").partition("_")[0] in _SHOWING:
        return True
    return other_work.function_draws(analysis, scope) or _trains(analysis, scope)


def _trains(analysis: Analysis, function: Scope) -> bool:
    """Whether a function trains a model, by what is known or by the name of a method."""
    names = analysis.project.trigger_names(_TRAINING)
    return any(
        last_name(site.node.func) in names
        and (
            has(fact := callgraph.fact_at(analysis, site), *_TRAINING)
            or (fact is None and isinstance(site.node.func, ast.Attribute))
        )
        for site in function.calls
    )


def _work_of_turn(analysis: Analysis, loop: Frame) -> int:
    """How many operations a turn of a loop does, as far as they are known."""
    return sum(_work(analysis, site, loop) for site in loops.sites_in(analysis, loop))


def _is_little(analysis: Analysis, around: tuple[Frame, ...]) -> bool:
    """Whether the loops that do nothing else are little beside the rest of what they stand in.

    That is a turn of the next loop around them, or a run of their function.
    """
    inner = around[-1]
    total = int(worth.turns(analysis, inner))
    own = max(_work_of_turn(analysis, inner), 1)
    beside = 0
    for outer in reversed(around[:-1]):
        beside = _work_beside(analysis, loops.sites_in(analysis, outer), inner, outer)
        if beside:
            break
        total += worth.turns(analysis, outer)
        inner = outer
    scope = inner.scope
    if not beside and scope.kind is ScopeKind.FUNCTION and total >= Turns.MANY:
        beside = _work_beside(analysis, scope.calls, inner, None)
    enough = _DWARFING.get(Turns(min(total, Turns.EVERY)))
    return enough is not None and beside >= enough * own


def _work_beside(
    analysis: Analysis, sites: Iterable[CallSite], inner: Frame, outer: Frame | None
) -> int:
    """How many operations calls do in a turn of a loop, besides those of a loop in it."""
    within = {id(part) for part in tree.walk(inner.node)}
    return sum(
        _work(analysis, site, outer)
        for site in sites
        if id(site.node) not in within
        # What makes an array of a comprehension's list belongs to it.
        and not any(part is inner.node for part in ast.walk(site.node))
    )


def _work(analysis: Analysis, site: CallSite, loop: Frame | None) -> int:
    fact = callgraph.fact_at(analysis, site)
    if has(fact, Trait.READS_FILE):
        return _OF_FILE
    known = turn_share.work_of(analysis, site, loop)
    if known or fact is not None or updates.is_slight(analysis, site):
        return known
    is_plain = isinstance(site.node.func, ast.Name) and site.node.func.id in _PLAIN
    return 0 if is_plain else turn_share.turns_within(analysis, site, loop)
