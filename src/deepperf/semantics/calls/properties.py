"""Where properties of the project's classes are read, each read as a call of its function."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.module import Module
from deepperf.semantics.files.outline import leads_to_framework
from deepperf.semantics.files.project import Project
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Object


def reads_in(analysis: Analysis, scope: Scope) -> list[CallSite]:
    """The reads in a scope of what may be properties that call a framework, by their names."""
    module = analysis.module_of(scope)
    if module.getters is None:
        module.getters = _getters(analysis.project, module)
    by_scope, read_off = module.getters
    analysis.touched |= read_off
    return by_scope.get(scope, [])


def _getters(
    project: Project, module: Module
) -> tuple[dict[Scope, list[CallSite]], frozenset[str]]:
    """These reads by the scopes that they stand in, and the files that they were read off."""
    found: dict[Scope, list[CallSite]] = {}
    read_off = set(project.imports(module.path))
    for name in sorted(project.properties(module.path)):
        if f".{name}" in module.source.text:
            may_lead, read = leads_to_framework(project, module.path, name)
            read_off |= read
            for site in module.reads_named(name) if may_lead else ():
                found.setdefault(site.scope, []).append(site)
    return found, frozenset(read_off)


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
