"""Calls that run a function of the project once for each of many elements, like loops do."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callbacks, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import UNKNOWN, Display, FunctionTerm, Method, Object

_FUNCTIONS = ("map", "filter")
"""Of Python itself, where a file gives these names no other meaning."""
_METHODS = ("apply", "applymap", "map", "progress_apply", "transform")
"""Methods of data frames and their columns, of pools and executors."""


def of_function(analysis: Analysis, function: Scope) -> tuple[tuple[Frame, CallSite], ...]:
    """The calls that run a function for each element, each as a loop."""
    return analysis.remember(("appliers", function), lambda: tuple(_find(analysis, function)), ())


def _find(analysis: Analysis, function: Scope) -> list[tuple[Frame, CallSite]]:
    return [
        (Frame(site.node, Branch.BODY, site.scope), site)
        for site in callbacks.calls_given(analysis, function)
        if site.scope is not function
        and site.node.args
        and _applies(analysis, site)
        and any(
            target.function is function
            for target in callgraph.targets_of(
                analysis, values.evaluate(analysis, site.node.args[0], site.scope)
            )
        )
    ]


def _applies(analysis: Analysis, site: CallSite) -> bool:
    node = site.node.func
    if isinstance(node, ast.Name):
        return node.id in _FUNCTIONS and callgraph.callee(analysis, site) == (UNKNOWN,)
    if not isinstance(node, ast.Attribute) or node.attr not in _METHODS:
        return False
    held = callgraph.callee(analysis, site)
    return not callgraph.external_names(held) and not any(
        isinstance(term, (FunctionTerm, Method, Object, Display)) for term in held
    )
