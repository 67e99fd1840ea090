"""Whether what a pipeline gives is only looked at: it is fetched, and nothing is done with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.data import pipelines
from deepperf.semantics.execution import session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance

_LONGEST = 12
_ASKING = frozenset((Trait.FITS, Trait.TRAINS, Trait.STEPS_TRAINING, Trait.PREDICTS))
_FURTHEST = 2
"""Functions that an element is followed out of."""
_NEXT = frozenset((Trait.GIVES_NEXT,))
_ITERATES = frozenset((Trait.ITERATES_DATASET,))


def is_only_looked_at(analysis: Analysis, site: CallSite) -> bool:
    """Whether the file takes the pipeline's elements in sessions, and its turns do no more.

    `site` is a call of the pipeline. False where its elements may go anywhere else.
    """
    iterators = [
        made
        for made in callgraph.sites_with(analysis, site.scope.module_path, _ITERATES)
        if _leads_to(analysis, made, site, _LONGEST)
    ]
    if not iterators:
        return False
    taken = [
        given
        for given in callgraph.sites_with(analysis, site.scope.module_path, _NEXT)
        if isinstance(given.node.func, ast.Attribute)
        and any(
            isinstance(term, Instance) and any(term.site is made.node for made in iterators)
            for term in values.evaluate(analysis, given.node.func.value, given.scope)
        )
    ]
    return bool(taken) and all(_is_fetched_alone(analysis, given) for given in taken)


def _leads_to(analysis: Analysis, end: CallSite, site: CallSite, longest: int) -> bool:
    if end is site:
        return True
    return longest > 0 and any(
        _leads_to(analysis, before, site, longest - 1) for before in pipelines.inputs(analysis, end)
    )


def _is_fetched_alone(analysis: Analysis, given: CallSite, farther: int = _FURTHEST) -> bool:
    """Whether the names of an element are but fetched, in turns that run nothing else.

    Its parts may have names of their own, tensors may be printed, and a function may give the
    element to callers that do no more.
    """
    if isinstance(given.statement, ast.Return):
        return given.statement.value is given.node and _is_given_on(analysis, given, farther)
    if not isinstance(given.statement, ast.Assign) or given.statement.value is not given.node:
        return False
    around = tree.parents(given.scope.node)
    inner = {
        id(part)
        for function in given.scope.walk()
        if function is not given.scope
        for part in tree.walk(function.node)
    }
    pending: list[ast.Assign] = [given.statement]
    seen: set[int] = set()
    used: set[int] = set()
    is_given_on = False
    while pending:
        bound = pending.pop()
        if id(bound) in seen:
            continue
        seen.add(id(bound))
        for use in _uses(analysis, bound, given.scope):
            parent = around.get(id(use))
            if id(use) in inner:
                used.add(id(use))
            elif isinstance(parent, ast.Assign):
                pending.append(parent)
            elif isinstance(parent, ast.Return):
                is_given_on = True
            elif not (isinstance(parent, ast.Call) and _prints(analysis, parent, given.scope)):
                used.add(id(use))
    fetching = [
        site
        for site in given.scope.calls
        if any(id(part) in used for part in tree.walk(site.node))
        and (session_runs.runs_session(analysis, site) or last_name(site.node.func) == "eval")
    ]
    fetched = {id(part) for site in fetching for part in _fetches(site)}
    return (
        (bool(used) or is_given_on)
        and used <= fetched
        and all(_is_alone(analysis, site, fetching) for site in fetching)
        and (not is_given_on or _is_given_on(analysis, given, farther))
    )


def _uses(analysis: Analysis, bound: ast.Assign, scope: Scope) -> list[ast.Name]:
    """The reads, in a function and those within it, of the names that a statement binds."""
    names = {
        part.id
        for target in bound.targets
        for part in tree.walk(target)
        if isinstance(part, ast.Name)
    }
    others = {
        id(part)
        for inner in scope.walk()
        if inner is not scope and not names.isdisjoint(inner.bound)
        for part in tree.walk(inner.node)
    }
    return [
        part
        for part in tree.walk(scope.node)
        if isinstance(part, ast.Name)
        and part.id in names
        and isinstance(part.ctx, ast.Load)
        and id(part) not in others
        and any(
            definition.value is bound.value
            for definition in values.definitions_of(analysis, part, scope)
        )
    ]


def _prints(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    site = analysis.site_of(call, scope)
    return site is not None and has(callgraph.fact_at(analysis, site), Trait.PRINTS)


def _is_given_on(analysis: Analysis, given: CallSite, farther: int) -> bool:
    """Whether a function that gives an element is called where it is but fetched."""
    asking = callers.callers(analysis, given.scope) if farther else ()
    return bool(asking) and all(_is_fetched_alone(analysis, one, farther - 1) for one in asking)


def _fetches(site: CallSite) -> Iterator[ast.expr]:
    """What a run fetches, as written, or the node that is evaluated."""
    nodes = [*site.node.args[:1]]
    if not nodes and isinstance(site.node.func, ast.Attribute):
        nodes = [site.node.func.value]
    for node in nodes:
        yield from node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]


def _is_alone(analysis: Analysis, site: CallSite, fetching: list[CallSite]) -> bool:
    """Whether the innermost loop around a run, or its statement, runs nothing but such."""
    around = [frame for frame in site.frames if frame.is_loop]
    if not around:
        return True
    return all(
        other in fetching
        or not (
            session_runs.runs_session(analysis, other)
            or callgraph.targets(analysis, other)
            or has(callgraph.fact_at(analysis, other), *_ASKING)
        )
        for other in site.scope.calls
        if around[-1] in other.frames
    )
