"""Where properties of the project's classes are read, each read as a call of its function."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Object


def read_at(analysis: Analysis, node: ast.expr, scope: Scope) -> CallSite | None:
    """The call that an expression is which reads a property."""
    if not isinstance(node, ast.Attribute) or node.attr not in _near(analysis, scope.module_path):
        return None
    for site in analysis.module_of(scope).reads_named(node.attr):
        if getattr(site.node.func, "value", None) is node.value:
            return site if callgraph.targets(analysis, site) else None
    return None


def runs_for_item(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is an item that a class of the project makes or looks up itself."""
    return isinstance(node, ast.Subscript) and any(
        isinstance(term, Object)
        and isinstance(classes.method_of(analysis, term.cls, "__getitem__"), Scope)
        for term in values.evaluate(analysis, node.value, scope)
    )


def _near(analysis: Analysis, path: str) -> frozenset[str]:
    analysis.touched.update(analysis.project.imports(path))
    return analysis.project.properties(path)
