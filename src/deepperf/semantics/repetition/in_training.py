"""Whether the steps of a training leave alone what work needs that they repeat."""

from __future__ import annotations

from typing import TypeAlias

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import passing
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.models import constant, learning
from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.repetition.inner_work import Inner
from deepperf.semantics.text.tree import Chain

_Run: TypeAlias = "tuple[CallSite, callgraph.Target | None]"


def operands_stay(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether no step of training within the region can change what the call is given."""
    return not learning.learns(analysis, region) or stays_in_training(analysis, site)


def stays_in_training(analysis: Analysis, site: CallSite) -> bool:
    """Whether steps of a training leave alone what a call is given."""
    fact = callgraph.fact_at(analysis, site)
    # Arrays of these are no variables: new parameters are new objects with names of their own.
    if fact is not None and fact.framework in ("numpy", "jax"):
        return True
    return constant.is_constant(analysis, site.node, site.scope)


def given_stay(
    analysis: Analysis, inner: Inner, site: CallSite, target: callgraph.Target, region: Region
) -> bool:
    """Whether no step of training can change what the calls on the way hand to the operation."""
    if not learning.learns(analysis, region):
        return False
    first = ((site, target),)
    return _way_stays(analysis, inner.operation, (*first, *_run_on(analysis, inner)))


def given_stays(analysis: Analysis, inner: Inner) -> bool:
    """The same, of what a function does in each step that others call, beside what it is given."""
    return bool(inner.way) and _way_stays(analysis, inner.operation, _run_on(analysis, inner))


def _run_on(analysis: Analysis, inner: Inner) -> tuple[_Run, ...]:
    """The calls on the way, each with the function that it runs there."""
    following = [place.scope for place in (*inner.way, inner.operation)][1:]
    led = (callgraph.targets_of(analysis, callgraph.callee(analysis, place)) for place in inner.way)
    return tuple(
        (place, next((one for one in some if one.function is function), None))
        for place, some, function in zip(inner.way, led, following, strict=True)
    )


def _way_stays(analysis: Analysis, operation: CallSite, way: tuple[_Run, ...]) -> bool:
    needed = constant.given_for(analysis, operation.node, operation.scope)
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
