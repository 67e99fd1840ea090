"""Which arrays a name may show the elements of: what is written to these, it shows."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import External

_FARTHEST = 3


def shown_by(analysis: Analysis, name: ast.Name, scope: Scope) -> frozenset[str]:
    """The names of the arrays of which a name was made a view: `flat = table.reshape(-1)`."""

    def find() -> frozenset[str]:
        found: set[str] = set()
        pending = [name]
        for _ in range(_FARTHEST):
            if not pending:
                break
            for definition in values.definitions_of(analysis, pending.pop(), scope):
                if definition.value is None or definition.scope is not scope:
                    continue
                whole = _whole(analysis, definition.value, scope)
                if whole is not None and whole.id not in found:
                    found.add(whole.id)
                    pending.append(whole)
        return frozenset(found)

    return analysis.remember(("shown by", name), find, frozenset())


def _whole(analysis: Analysis, node: ast.expr, scope: Scope) -> ast.Name | None:
    """The name of the array of which an expression gives a view, or which it is."""
    if isinstance(node, ast.Name):
        return node
    if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
        return _whole(analysis, node.value, scope)
    if not isinstance(node, ast.Call) or not _gives_view(analysis, node, scope):
        return None
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    held = values.evaluate(analysis, owner, scope) if owner is not None else ()
    is_module = bool(held) and all(isinstance(term, External) for term in held)
    if owner is not None and not is_module:
        return _whole(analysis, owner, scope)
    return _whole(analysis, node.args[0], scope) if node.args else None


def _gives_view(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    held = values.evaluate(analysis, call.func, scope)
    if callgraph.external_names(held):
        return has(callgraph.fact_of(analysis, held), Trait.VIEWS)
    # Of whatever it is a method: what gives views goes by these names.
    views = analysis.project.trigger_names(frozenset((Trait.VIEWS,)))
    return isinstance(call.func, ast.Attribute) and call.func.attr in views
