"""Whether an object is looked up where it was put before: among those that a module keeps."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope, ScopeKind
from deepperf.semantics.values import values


def is_looked_up(analysis: Analysis, definition: Definition) -> bool:
    """Whether a name is bound to an entry of what a module keeps, by a function perhaps.

    Another request may find another entry, but each of them is found again.
    """
    value = definition.value
    if definition.binding is not Binding.ASSIGNED or definition.unpacking or value is None:
        return False
    return is_entry(analysis, value, definition.scope)


def is_entry(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression gives such an entry."""
    if not isinstance(node, ast.Call):
        return _is_entry(node, scope)
    held = values.evaluate(analysis, node.func, scope)
    targets = callgraph.targets_of(analysis, held)
    return bool(targets) and all(_gives_entries(target.function) for target in targets)


def _gives_entries(function: Scope) -> bool:
    return bool(function.returns) and all(_is_entry(given, function) for given in function.returns)


def _is_entry(node: ast.expr, scope: Scope) -> bool:
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return False
    kept = node.value
    if not isinstance(kept, ast.Name) or kept.id in scope.bound - scope.outer_names:
        return False
    outer = scope.parent
    while outer is not None and outer.kind is not ScopeKind.MODULE:
        if outer.kind is ScopeKind.FUNCTION and kept.id in outer.bound:
            return False
        outer = outer.parent
    return outer is not None and kept.id in outer.bound


def is_setting(call: ast.Call) -> bool:
    """Whether it reads an entry of settings by its name, as a subscript does: `get("rate")`."""
    key = next(iter(call.args), None)
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "get"
        and isinstance(key, ast.Constant)
        and isinstance(key.value, str)
    )
