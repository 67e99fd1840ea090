"""Whether the steps of a training leave alone what work needs that they repeat."""

from __future__ import annotations

from typing import TypeAlias

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import passing
from deepperf.semantics.loops import placement
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.models import constant, frozen, learning
from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.repetition.inner_work import Inner
from deepperf.semantics.text.tree import Chain

_Run: TypeAlias = "tuple[CallSite, callgraph.Target | None]"


def operands_stay(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether no step of training within the region can change what the call is given."""
    if learning.learns(analysis, region):
        return stays_in_training(analysis, site, region)
    # Nothing differs in the turns of a loop that asks the same again: it measures.
    is_open = region.loop is None or not placement.counts_only(region.loop)
    return is_open or frozen.asked(analysis, site) is None


def stays_in_training(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether steps of a training, of which the region is one, leave alone what a call is given."""
    if frozen.asked(analysis, site) is not None:
        is_left = frozen.is_left_untrained(analysis, site, region)
        return is_left and constant.is_asked_of_data(analysis, site)
    if not _asks_untrained(analysis, site, region):
        return False
    fact = callgraph.fact_at(analysis, site)
    # Arrays of these are no variables: new parameters are new objects with names of their own.
    if fact is not None and fact.framework in ("numpy", "jax"):
        return True
    return constant.is_constant(analysis, site.node, site.scope)


def _asks_untrained(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether no step changes the models that are asked beside the call in its function."""
    return site.scope is region.scope or all(
        frozen.is_left_untrained(analysis, other, region)
        for other in site.scope.calls
        if frozen.asked(analysis, other) is not None
    )


def given_stay(
    analysis: Analysis, inner: Inner, site: CallSite, target: callgraph.Target, region: Region
) -> bool:
    """Whether no step of training can change what the calls on the way hand to the operation."""
    if not learning.learns(analysis, region):
        return False
    first = ((site, target),)
    return _way_stays(analysis, inner.operation, (*first, *_run_on(analysis, inner)), region)


def given_stays(analysis: Analysis, inner: Inner, region: Region) -> bool:
    """The same, of what a function does in each step that others call, beside what it is given."""
    return bool(inner.way) and _way_stays(
        analysis, inner.operation, _run_on(analysis, inner), region
    )


def _run_on(analysis: Analysis, inner: Inner) -> tuple[_Run, ...]:
    """The calls on the way, each with the function that it runs there."""
    following = [place.scope for place in (*inner.way, inner.operation)][1:]
    led = (callgraph.targets_of(analysis, callgraph.callee(analysis, place)) for place in inner.way)
    return tuple(
        (place, next((one for one in some if one.function is function), None))
        for place, some, function in zip(inner.way, led, following, strict=True)
    )


def _way_stays(
    analysis: Analysis, operation: CallSite, way: tuple[_Run, ...], region: Region
) -> bool:
    if frozen.asked(analysis, operation) is not None:
        is_left = frozen.is_left_untrained(analysis, operation, region)
        needed = constant.asked_for(analysis, operation) if is_left else None
    else:
        is_left = _asks_untrained(analysis, operation, region)
        whole = operation.node
        needed = constant.given_for(analysis, whole, operation.scope) if is_left else None
    for place, run in reversed(way):
        if needed is None or run is None:
            return False
        given = passing.read_at_call(analysis, needed, place, run)
        if given is None:
            return False
        if place is way[0][0]:
            return all(constant.is_passed_constant(analysis, one, place.scope) for one in given)
        answers = [constant.given_for(analysis, one, place.scope) for one in given]
        known = [one for one in answers if one is not None]
        needed = frozenset[Chain]().union(*known) if len(known) == len(answers) else None
    return False
