"""Nodes that each call of a method makes and has run, in a session that was there before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph, entrances
from deepperf.semantics.execution import graphs, session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import once
from deepperf.semantics.names.scopes import (
    COMPREHENSIONS,
    CallSite,
    Scope,
    ScopeKind,
    parameters,
)
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values

_BUILDING = (Trait.CREATES_VARIABLE, Trait.CREATES_LAYER, Trait.LOADS_MODEL, Trait.SUMMARIZES)
"""What sets up a model, which is done once, or tells a person of it."""


def runs_in_each_call(analysis: Analysis, site: CallSite) -> bool:
    """Whether a method adds a node for the values that it is asked about, and runs it.

    The session is its object's, or given to it, so the graph outlives the call. Nobody knows how
    often it is called; but what answers for values is there to be asked again.
    """
    fact = callgraph.fact_at(analysis, site)
    if not has(fact, Trait.ADDS_NODE) or has(fact, Trait.WRITES_STATE):
        return False
    run = _run_of(analysis, site)
    if run is None or once.runs_once(analysis, site, None):
        return False
    # A list that is run makes a node for each item, and all of them anew in each call.
    if any(not isinstance(loop.node, COMPREHENSIONS) for loop in site.loops):
        return False
    function = site.scope
    if len(tree.arguments(run.node)) < 2 and not _is_given_values(site):
        return False
    if any(_builds_or_goes_on(analysis, other) for other in function.calls):
        return False
    if graphs.function_starts_graph(analysis, function) or graphs.runs_apart(analysis, function):
        return False
    tops = entrances.tops(analysis, function)
    return bool(tops) and all(
        entrances.is_entrance(analysis, top) or _is_given_away(top) for top in tops
    )


def is_run_at_once(analysis: Analysis, site: CallSite) -> bool:
    """Whether a statement runs the nodes that it makes, or a function that asks for values does.

    Such a function builds no model; it may run what it makes in a list.
    """
    if graphs.is_run_at_once(analysis, site):
        return True
    fact = callgraph.fact_at(analysis, site)
    if not has(fact, Trait.ADDS_NODE) or has(fact, Trait.WRITES_STATE):
        return False
    if any(_builds_or_goes_on(analysis, other) for other in site.scope.calls):
        return False
    return _run_of(analysis, site) is not None


def _builds_or_goes_on(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call is a part of building a model, of telling of it, or of a pass over data."""
    fact = callgraph.fact_at(analysis, site)
    if has(fact, *_BUILDING):
        return True
    # Gradients are values, asked for as others are, unless a step of a training is made of them.
    is_value = has(fact, Trait.COMPUTES) and not has(fact, Trait.WRITES_STATE)
    if has(fact, Trait.ADDS_MANY_NODES) and not is_value:
        return True
    return bool(site.loops) and session_runs.runs_session(analysis, site)


def _run_of(analysis: Analysis, site: CallSite) -> CallSite | None:
    """The run that is told the call's result, there or by a name, in a session from before."""
    function = site.scope
    if isinstance(function.node, (ast.Module, ast.ClassDef)):
        return None
    known = {given.arg for given in parameters(function.node)} | _own(function)
    for other in function.calls:
        whose = tree.dotted(other.node.func).partition(".")[0]
        if whose not in known or not other.node.args:
            continue
        fetches = tree.walk(other.node.args[0])
        if not session_runs.runs_session(analysis, other):
            continue
        if _sets_state(analysis, fetches, other):
            continue
        if any(part is site.node or _is_bound_to(analysis, part, site) for part in fetches):
            return other
    return None


def _sets_state(analysis: Analysis, fetches: list[ast.AST], run: CallSite) -> bool:
    """Whether a session is told to set variables, which is done now and then."""
    return any(
        has(callgraph.fact_of_call(analysis, part, run.scope), Trait.WRITES_STATE)
        for part in fetches
        if isinstance(part, ast.Call)
    )


def _is_bound_to(analysis: Analysis, part: ast.AST, site: CallSite) -> bool:
    """Whether a name, as it is used, is what the call's statement has bound in the same call."""
    if not isinstance(part, ast.Name):
        return False
    definitions = values.definitions_of(analysis, part, site.scope)
    if len(definitions) != 1:
        return False
    if isinstance(site.statement, ast.Assign) and definitions[0].value is site.statement.value:
        return True
    made = definitions[0].value
    return isinstance(made, ast.List) and any(
        _may_hold(analysis, given, site) for given in _appended(part.id, site.scope)
    )


def _appended(name: str, function: Scope) -> Iterator[ast.expr]:
    """What a function appends to a list that it has by a name."""
    for other in function.calls:
        whose = other.node.func
        if tree.dotted(whose) == f"{name}.append":
            yield from other.node.args


def _may_hold(analysis: Analysis, given: ast.expr, site: CallSite) -> bool:
    """Whether what a list is given may be what a call gives, as in one branch of several."""
    if given is site.node:
        return True
    if not isinstance(given, ast.Name) or not isinstance(site.statement, ast.Assign):
        return False
    made = (one.value for one in values.definitions_of(analysis, given, site.scope))
    return any(value is site.statement.value for value in made)


def _own(function: Scope) -> set[str]:
    """What the methods around call their object."""
    found = set()
    around: Scope | None = function
    while around is not None and around.kind is ScopeKind.FUNCTION:
        name = classes.receiver_name(around)
        found |= {name} if name is not None else set()
        around = around.parent
    return found


def _is_given_values(site: CallSite) -> bool:
    """Whether what the node is made of rests on what the function is given or has computed."""
    own = _own(site.scope)
    names = {name for part in tree.arguments(site.node) for name in tree.names_in(part)}
    return bool((names - own) & site.scope.bound)


def _is_given_away(function: Scope) -> bool:
    """Whether a method gives a function of its own to its caller, who asks it then."""
    method = function.parent
    if method is None or method.kind is not ScopeKind.FUNCTION:
        return False
    if classes.enclosing_class(method) is None:
        return False
    return any(
        isinstance(part, ast.Return)
        and part.value is not None
        and function.name in tree.names_in(part.value)
        for part in tree.walk(method.node)
    )
