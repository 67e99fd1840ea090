"""Calls that have a function of the project run beside the rest: by a thread or by a pool."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls import callbacks, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.values import values

_STARTING = frozenset((Trait.HANDS_WORK_ON, Trait.STARTS_WORKER))


def of_function(analysis: Analysis, function: Scope) -> tuple[CallSite, ...]:
    """The calls that start a function once, for work of its own.

    A `for` loop that starts threads starts as many as there are to be workers; one that waits
    for clients, in a `while` loop, starts one for each of them. What a pool is given is work.
    """
    return analysis.remember(("starters", function), lambda: tuple(_find(analysis, function)), ())


def _find(analysis: Analysis, function: Scope) -> list[CallSite]:
    names = analysis.project.trigger_names(_STARTING)
    return [
        site
        for site in callbacks.calls_given(analysis, function)
        if last_name(site.node.func) in names
        and site.scope is not function
        and _starts(analysis, site, function)
    ]


def _starts(analysis: Analysis, site: CallSite, function: Scope) -> bool:
    fact = callgraph.fact_at(analysis, site)
    if fact is None or _STARTING.isdisjoint(fact.traits):
        return False
    if Trait.STARTS_WORKER in fact.traits and not _is_for_client(site):
        return False
    given = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
    return given is not None and any(
        target.function is function
        for target in callgraph.targets_of(analysis, values.evaluate(analysis, given, site.scope))
    )


def _is_for_client(site: CallSite) -> bool:
    """Whether no loop that counts or lists workers stands around."""
    return not site.loops or isinstance(site.loops[-1].node, ast.While)
