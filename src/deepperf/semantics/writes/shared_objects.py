"""Whether other threads, or whoever was handed a method, may write to what an object keeps."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callbacks
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import FunctionTerm, Method, Object
from deepperf.semantics.writes import attributes

_EARLY = ("__init__", "__post_init__")
_GUARDS = frozenset(("BoundedSemaphore", "Condition", "Lock", "RLock", "Semaphore"))
_RUNNERS = frozenset(("Process", "Thread", "Timer"))


def is_shared(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether one of the attributes that an expression reads may change meanwhile."""
    while isinstance(node, ast.Attribute):
        for term in values.evaluate(analysis, node.value, scope):
            if isinstance(term, Object) and _is_written_meanwhile(analysis, term.cls, node.attr):
                return True
        node = node.value
    return False


def _is_written_meanwhile(analysis: Analysis, cls: Scope, name: str) -> bool:
    def find() -> bool:
        is_guarded = _is_guarded(analysis, cls)
        return any(
            (is_guarded or _is_handed_over(analysis, method))
            and name in attributes.touched(analysis, method)
            for method in classes.methods_of(cls).values()
            if method.name not in _EARLY
        )

    return analysis.remember(("written meanwhile", cls, name), find, otherwise=False)


def _is_handed_over(analysis: Analysis, method: Scope) -> bool:
    """Whether a call is given the method, to be run when it pleases."""
    return any(
        isinstance(term, Method)
        and isinstance(term.function, FunctionTerm)
        and term.function.scope is method
        for site in callbacks.calls_given(analysis, method)
        for given in tree.arguments(site.node)
        if last_name(given) == method.name
        for term in values.evaluate(analysis, given, site.scope)
    )


def _is_guarded(analysis: Analysis, cls: Scope) -> bool:
    """Whether an object has a lock, or is or runs a thread: several use it at once."""
    called = analysis.module_of(cls).called_names
    if any(last_name(base) in _RUNNERS for base in getattr(cls.node, "bases", ())):
        return True
    return not called.isdisjoint(_GUARDS | _RUNNERS) and any(
        isinstance(site.node.func, (ast.Name, ast.Attribute))
        and last_name(site.node.func) in _GUARDS | _RUNNERS
        for method in classes.methods_of(cls).values()
        for site in method.calls
    )
