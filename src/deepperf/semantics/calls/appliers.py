"""Calls that run a function of the project once for each of many elements, like loops do."""

from __future__ import annotations

import ast
from collections.abc import Callable

from deepperf.knowledge.members import POOL_METHODS
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callbacks, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import UNKNOWN, Display, FunctionTerm, Method, Object

_FUNCTIONS = ("map", "filter")
"""Of Python itself, where a file gives these names no other meaning."""
_OF_FRAMES = ("apply", "applymap", "map", "parallel_apply", "progress_apply", "transform")
_OF_CLUSTERS = ("flatMap", "foreach", "map")
_OF_FILMS = ("fl_image", "image_transform")
_METHODS = frozenset((*_OF_FRAMES, *POOL_METHODS, *_OF_CLUSTERS, *_OF_FILMS))
"""Methods, of executors as well, that call their first argument for each element."""


def of_function(analysis: Analysis, function: Scope) -> tuple[tuple[Frame, CallSite], ...]:
    """The calls that run a function for each element, each as a loop."""
    return analysis.remember(
        ("appliers", function), lambda: tuple(_find(analysis, function, applies)), ()
    )


def searches(analysis: Analysis, function: Scope) -> tuple[tuple[Frame, CallSite], ...]:
    """The calls that look for a function's extremum, and call it for that, each as a loop."""
    return analysis.remember(
        ("searches", function), lambda: tuple(_find(analysis, function, _searches)), ()
    )


def _searches(analysis: Analysis, site: CallSite) -> bool:
    return has(callgraph.fact_at(analysis, site), Trait.SEARCHES)


def _find(
    analysis: Analysis, function: Scope, runs: Callable[[Analysis, CallSite], bool]
) -> list[tuple[Frame, CallSite]]:
    return [
        (Frame(site.node, Branch.BODY, site.scope), site)
        for site in callbacks.calls_given(analysis, function)
        if site.scope is not function
        and site.node.args
        and runs(analysis, site)
        and any(
            target.function is function
            for target in callgraph.targets_of(
                analysis, values.evaluate(analysis, site.node.args[0], site.scope)
            )
        )
    ]


def is_of_python(call: ast.Call) -> bool:
    """Whether a call is, by its name, one of Python's own `map` and `filter`."""
    return isinstance(call.func, ast.Name) and call.func.id in _FUNCTIONS


def applies(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call, by its name, runs its first argument for each element of something."""
    node = site.node.func
    if isinstance(node, ast.Name):
        return node.id in _FUNCTIONS and callgraph.callee(analysis, site) == (UNKNOWN,)
    if not isinstance(node, ast.Attribute) or node.attr not in _METHODS:
        return False
    held = callgraph.callee(analysis, site)
    return not callgraph.external_names(held) and not any(
        isinstance(term, (FunctionTerm, Method, Object, Display)) for term in held
    )
