"""Where properties of the project's classes are read, each read as a call of its function."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import may_lead_to_framework
from deepperf.semantics.names.scopes import CallSite, Scope


def reads_in(analysis: Analysis, scope: Scope) -> list[CallSite]:
    """The reads in a scope of what may be properties that call a framework, by their names."""
    path, module = scope.module_path, analysis.module_of(scope)
    names = [
        name
        for name in sorted(_near(analysis, scope))
        if may_lead_to_framework(analysis, path, name)
    ]
    return [site for name in names for site in module.reads_named(name) if site.scope is scope]


def read_at(analysis: Analysis, node: ast.expr, scope: Scope) -> CallSite | None:
    """The call that an expression is which reads a property."""
    if not isinstance(node, ast.Attribute) or node.attr not in _near(analysis, scope):
        return None
    for site in analysis.module_of(scope).reads_named(node.attr):
        if getattr(site.node.func, "value", None) is node.value:
            return site if callgraph.targets(analysis, site) else None
    return None


def _near(analysis: Analysis, scope: Scope) -> frozenset[str]:
    path = scope.module_path
    analysis.touched.update(analysis.project.imports(path))
    return analysis.project.properties(path)
