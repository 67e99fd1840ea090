"""Which model an expression holds: of which type, made where, and whether another is the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance, Object


def files_of(analysis: Analysis, model: ast.expr, scope: Scope) -> frozenset[str]:
    """The files in which a model is made and asked."""
    found = {scope.module_path}
    for term in _held(analysis, model, scope):
        found.add((term.cls if isinstance(term, Object) else term.scope).module_path)
    return frozenset(found)


def _held(analysis: Analysis, node: ast.expr, scope: Scope) -> list[Instance | Object]:
    """The objects that an expression may hold, and those that a function gave and others moved.

    `features().to(device)` is what `features` gave.
    """
    found: list[Instance | Object] = []
    pending = [*values.evaluate(analysis, node, scope)]
    while pending:
        term = pending.pop()
        if not isinstance(term, (Instance, Object)) or term in found:
            continue
        found.append(term)
        first = _first_made(term) if isinstance(term, Instance) else None
        if isinstance(term, Instance) and first is not None:
            pending += values.evaluate(analysis, first, term.scope)
    return found


def _first_made(term: Instance) -> ast.Call | None:
    """The first call of those that made it: `f(x)` of `f(x).to(y)`."""
    calls = [made for made in _chain_of_making(term) if isinstance(made, ast.Call)]
    return calls[-1] if calls else None


def _chain_of_making(term: Instance) -> Iterator[ast.expr]:
    made = term.site
    while isinstance(made, (ast.Call, ast.Attribute, ast.Subscript)):
        yield made
        made = made.func if isinstance(made, ast.Call) else made.value
