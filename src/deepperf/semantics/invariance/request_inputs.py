"""Whether what a request handler works on may differ between requests."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import regions
from deepperf.semantics.names import scopes
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import External, ModuleTerm, Object
from deepperf.semantics.writes import attributes

_EARLY = ("__init__", "__post_init__")
_OF_NUMBERS = frozenset(("jax", "keras", "math", "numpy", "tensorflow", "torch"))
"""Packages whose names hold the same for all requests; a server's hold the request itself."""


def may_differ(analysis: Analysis, place: CallSite) -> bool:
    """Whether a call rests on what other requests change, or on the request by a name of a server.

    What its function is given is for those to tell who call it.
    """
    function = place.scope
    if isinstance(function.node, (ast.Module, ast.ClassDef)):
        return True
    bound = regions.region_of_function(analysis, function).bound
    given = {one.arg for one in scopes.parameters(function.node)}
    pending: list[ast.AST] = [tree.written(place.node)]
    followed: set[str] = set()
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Call):
            pending += tree.arguments(part)
            owner = part.func.value if isinstance(part.func, ast.Attribute) else None
            # What is called by a name is no data.
            if owner is not None and not (isinstance(owner, ast.Name) and owner.id not in bound):
                pending.append(owner)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            if part.value.id in bound:
                pending.append(part.value)
            elif _attribute_may_differ(analysis, part, part.value, function, given):
                return True
        elif isinstance(part, ast.Name) and part.id in bound and part.id not in given:
            value = bound[part.id]
            if value is None:
                return True
            if part.id not in followed:
                followed.add(part.id)
                pending.append(value)
        elif isinstance(part, ast.Name) and part.id not in given:
            if any(_is_of_server(term) for term in values.evaluate(analysis, part, function)):
                return True
        else:
            pending += tree.children(part)
    return False


def _attribute_may_differ(
    analysis: Analysis, node: ast.Attribute, owner: ast.Name, function: Scope, given: set[str]
) -> bool:
    if owner.id in given:
        cls = classes.enclosing_class(function)
        is_own = owner.id == classes.receiver_name(function)
        return is_own and (cls is None or not is_left(analysis, cls, node.attr))
    held = values.evaluate(analysis, owner, function)
    if any(isinstance(term, Object) for term in held):
        return not all(
            isinstance(term, Object) and is_left(analysis, term.cls, node.attr) for term in held
        )
    return not held or not all(
        isinstance(term, ModuleTerm) or (isinstance(term, External) and not _is_of_server(term))
        for term in held
    )


def _is_of_server(term: object) -> bool:
    """Whether it belongs to a package that is none for numbers."""
    return isinstance(term, External) and term.name.partition(".")[0] not in _OF_NUMBERS


def is_left(analysis: Analysis, cls: Scope, name: str) -> bool:
    """Whether an object is given an attribute where it is made, and its methods leave it alone."""
    found = classes.attribute_writes(analysis, cls, name)
    return bool(found) and all(
        method.name in _EARLY or name not in attributes.touched(analysis, method)
        for method in classes.methods_of(cls).values()
    )
