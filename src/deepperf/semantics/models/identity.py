"""Which model an expression holds: of which type, made where, and whether another is the same."""

from __future__ import annotations

import ast

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
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Object):
            found.add(id(term.cls))
        elif isinstance(term, Instance):
            made = term.site
            # `make().to(device).eval()` is made by each of these calls.
            while isinstance(made, (ast.Call, ast.Attribute, ast.Subscript)):
                found.add(id(made))
                made = made.func if isinstance(made, ast.Call) else made.value
    return frozenset(found)


def files_of(analysis: Analysis, model: ast.expr, scope: Scope) -> frozenset[str]:
    """The files in which a model is made and asked."""
    found = {scope.module_path}
    for term in values.evaluate(analysis, model, scope):
        if isinstance(term, Instance):
            found.add(term.scope.module_path)
        elif isinstance(term, Object):
            found.add(term.cls.module_path)
    return frozenset(found)
