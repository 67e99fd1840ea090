"""Which model an expression holds: of which type, made where, and whether another is the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Instance, Object


def types(analysis: Analysis, node: ast.expr, scope: Scope) -> frozenset[str]:
    """The types that an expression may have, those they inherit from among them."""
    return frozenset(
        name
        for term in values.evaluate(analysis, node, scope)
        if isinstance(term, (Instance, Object))
        for name in classes.instance_type(analysis, term)
    )


def is_same(analysis: Analysis, site: CallSite, model: ast.expr, scope: Scope) -> bool:
    """Whether a method is called of the model: it was made there, or goes by the same name."""
    function = site.node.func
    if not isinstance(function, ast.Attribute):
        return False
    held = makers(analysis, model, scope)
    if held:
        others = makers(analysis, function.value, site.scope)
        return not held.isdisjoint(others) or id(site.node) in held
    if not tree.dotted(model) or tree.dotted(function.value) != tree.dotted(model):
        return False
    return site.scope is scope or (
        classes.is_of_own_object(model, scope)
        and classes.is_of_own_object(function.value, site.scope)
        and classes.class_around(site.scope) is classes.class_around(scope)
    )


def makers(analysis: Analysis, node: ast.expr, scope: Scope) -> frozenset[int]:
    """What tells the objects apart that an expression may hold: where they are made."""
    found: set[int] = set()
    for term in _held(analysis, node, scope):
        if isinstance(term, Object):
            found.add(id(term.cls))
        else:
            # `make().to(device).eval()` is made by each of these calls.
            found.update(id(made) for made in _chain_of_making(term))
    return frozenset(found)


def files_of(analysis: Analysis, model: ast.expr, scope: Scope) -> frozenset[str]:
    """The files in which a model is made and asked."""
    found = {scope.module_path}
    for term in _held(analysis, model, scope):
        found.add((term.cls if isinstance(term, Object) else term.scope).module_path)
    return frozenset(found)


def made_by(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[CallSite]:
    """The calls that make what an expression may hold, before anything is asked of it."""
    for term in _held(analysis, node, scope):
        made = _first_made(term) if isinstance(term, Instance) else None
        site = analysis.site_of(made, term.scope) if isinstance(term, Instance) and made else None
        if site is not None:
            yield site


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
