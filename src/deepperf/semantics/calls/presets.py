"""What `functools.partial` gives a function before anything calls it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import callbacks, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Value, union

_PARTIAL = "functools.partial"


def given(analysis: Analysis, function: Scope, name: str) -> Value:
    """What a parameter of the function holds wherever what `partial` made of it is called."""
    found = []
    for site, target in _partials(analysis, function):
        preset = ast.Call(site.node.func, site.node.args[1:], site.node.keywords)
        argument = callgraph.bound_arguments(preset, target).get(name)
        if argument is not None:
            found.append(values.evaluate(analysis, argument, site.scope))
    return union(*found) if found else ()


def _partials(analysis: Analysis, function: Scope) -> tuple[tuple[CallSite, callgraph.Target], ...]:
    return analysis.remember(("partials", function), lambda: tuple(_find(analysis, function)), ())


def _find(analysis: Analysis, function: Scope) -> Iterator[tuple[CallSite, callgraph.Target]]:
    for site in callbacks.calls_given(analysis, function):
        if last_name(site.node.func) != "partial" or not site.node.args:
            continue
        if callgraph.external_names(callgraph.callee(analysis, site)) != (_PARTIAL,):
            continue
        held = values.evaluate(analysis, site.node.args[0], site.scope)
        for target in callgraph.targets_of(analysis, held):
            if target.function is function:
                yield site, target
