"""Calls that have a function of the project run beside the rest: by a thread or by a pool."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec.structs import replace

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callbacks, callgraph, decorated
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Value, union

_STARTING = frozenset((Trait.HANDS_WORK_ON, Trait.STARTS_WORKER))


def of_function(analysis: Analysis, function: Scope) -> tuple[CallSite, ...]:
    """The calls that start a function once, for work of its own.

    A `for` loop that starts threads starts as many as there are to be workers; one that waits
    for clients, in a `while` loop, starts one for each of them. What a pool is given is work.
    """
    return tuple(
        site
        for site, _ in _starting(analysis, function)
        if site.scope is not function
        and (has(callgraph.fact_at(analysis, site), Trait.HANDS_WORK_ON) or _is_for_client(site))
    )


def given(analysis: Analysis, function: Scope, name: str) -> Value:
    """What the calls that start a function have it called with, for one parameter."""
    found = []
    for site, target in _starting(analysis, function):
        passed = _as_called(analysis, site)
        argument = callgraph.bound_arguments(passed, target).get(name) if passed else None
        if argument is not None:
            found.append(values.evaluate(analysis, argument, site.scope))
    return union(*found) if found else ()


def runs(analysis: Analysis, site: CallSite) -> tuple[tuple[callgraph.Target, ast.Call], ...]:
    """The functions that a call runs, or has a thread or a pool run, with the call that is made."""
    own = callgraph.targets(analysis, site)
    if own or last_name(site.node.func) not in analysis.project.trigger_names(_STARTING):
        return tuple((target, site.node) for target in own)
    made = (
        _as_called(analysis, site) if has(callgraph.fact_at(analysis, site), *_STARTING) else None
    )
    if made is None:
        return ()
    held = values.evaluate(analysis, made.func, site.scope)
    return tuple((target, made) for target in callgraph.targets_of(analysis, held))


def _starting(analysis: Analysis, function: Scope) -> tuple[tuple[CallSite, callgraph.Target], ...]:
    """The calls that have a thread, a process or a pool run a function, of their targets it."""
    return analysis.remember(("starters", function), lambda: tuple(_find(analysis, function)), ())


def _find(analysis: Analysis, function: Scope) -> Iterator[tuple[CallSite, callgraph.Target]]:
    names = analysis.project.trigger_names(_STARTING)
    # What stands in the place of others is handed on by their names.
    for named in (function, *decorated.in_place_of(analysis, function)):
        for site in callbacks.calls_given(analysis, named):
            if last_name(site.node.func) not in names:
                continue
            fact = callgraph.fact_at(analysis, site)
            if fact is None or _STARTING.isdisjoint(fact.traits):
                continue
            handed = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
            held = () if handed is None else values.evaluate(analysis, handed, site.scope)
            for target in callgraph.targets_of(analysis, held):
                if target.function is named:
                    yield site, replace(target, function=function)


def _as_called(analysis: Analysis, site: CallSite) -> ast.Call | None:
    """The call, as far as it is written out, that the thread or the pool makes."""
    node, fact = site.node, callgraph.fact_at(analysis, site)
    function = callgraph.role_argument(node, fact, ParameterRole.FUNCTION) if fact else None
    if fact is None or function is None:
        return None
    if Trait.HANDS_WORK_ON in fact.traits:
        if function not in node.args:
            return None
        return ast.Call(function, node.args[node.args.index(function) + 1 :], node.keywords)
    listed = callgraph.role_argument(node, fact, ParameterRole.ARGUMENTS)
    named = callgraph.role_argument(node, fact, ParameterRole.KEYWORDS)
    positional = listed.elts if isinstance(listed, (ast.Tuple, ast.List)) else []
    keywords = []
    if isinstance(named, ast.Dict):
        for key, value in zip(named.keys, named.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                keywords.append(ast.keyword(key.value, value))
    return ast.Call(function, positional, keywords)


def _is_for_client(site: CallSite) -> bool:
    """Whether no loop that counts or lists workers stands around."""
    return not site.loops or isinstance(site.loops[-1].node, ast.While)
