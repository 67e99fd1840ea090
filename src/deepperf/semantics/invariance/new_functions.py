"""Whether the functions that an iteration of a loop uses are made in that turn."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.turns import Turn, binder, returns_new
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope, ScopeKind
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    UNKNOWN,
    ClassTerm,
    Instance,
    Method,
    Object,
    Term,
)


def is_made_anew(analysis: Analysis, node: ast.expr, scope: Scope, turn: Turn) -> bool:
    """Whether an expression is known to be a function object of this iteration alone."""
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.Call):
        return returns_new(analysis, node, scope)
    if isinstance(node, ast.Attribute):
        # Reading a method of an object makes a new function object each time.
        held = values.evaluate(analysis, node, scope)
        # Beside what the project passes there is what others may.
        known = [term for term in held if term != UNKNOWN]
        if not known:
            return _is_method_by_name(analysis, node, scope)
        return all(
            isinstance(term, Method)
            and not isinstance(term.receiver, ClassTerm)
            and not _has_equal_methods(analysis, term.receiver)
            for term in known
        )
    if not isinstance(node, ast.Name):
        return False
    owner = binder(node.id, scope)
    if owner is None:
        return False
    definitions = analysis.module_of(owner).flow(owner).all.get(node.id, [])
    if owner is turn.start and turn.loop is not None:
        definitions = [d for d in definitions if id(turn.loop.node) in d.loops]
    elif owner.kind is ScopeKind.MODULE or (
        owner is not turn.start and turn.place_before(owner) is None
    ):
        return False
    return bool(definitions) and all(
        _is_new_definition(analysis, definition, turn) for definition in definitions
    )


def _is_method_by_name(analysis: Analysis, node: ast.Attribute, scope: Scope) -> bool:
    """Whether what is read of an object of which nothing is known can only be a method.

    So it is with `apply` in files that know Flax; but what Haiku transforms holds functions.
    """
    if node.attr != "apply":
        return False
    imported = _imported_packages(analysis, scope.module_path)
    return "flax" in imported and "haiku" not in imported


def _imported_packages(analysis: Analysis, path: str) -> frozenset[str]:
    """The packages that a file imports, or names of which it imports."""

    def find() -> frozenset[str]:
        found: set[str] = set()
        for statement in analysis.module(path).scopes.imports.values():
            if isinstance(statement, ast.ImportFrom):
                found.add((statement.module or "").partition(".")[0])
            else:
                found |= {alias.name.partition(".")[0] for alias in statement.names}
        return frozenset(found)

    nothing: frozenset[str] = frozenset()
    return analysis.remember(("imported packages", path), find, nothing)


def _has_equal_methods(analysis: Analysis, receiver: Term) -> bool:
    """Whether methods of an object are found again by what the object is made of."""
    if not isinstance(receiver, (Instance, Object)):
        return False
    return any(
        has(analysis.knowledge.fact(name), Trait.COMPARES_BY_PARTS)
        for name in classes.instance_type(analysis, receiver)
    )


def _is_new_definition(analysis: Analysis, definition: Definition, turn: Turn) -> bool:
    if definition.binding is Binding.FUNCTION:
        return True
    if definition.binding is Binding.ASSIGNED and definition.value is not None:
        return not definition.unpacking and is_made_anew(
            analysis, definition.value, definition.scope, turn
        )
    if definition.binding is not Binding.PARAMETER:
        return False
    place = turn.place_before(definition.scope)
    if place is None:
        return False
    for target in callgraph.targets(analysis, place):
        if target.function is definition.scope:
            given = callgraph.bound_arguments(place.node, target).get(definition.name)
            return given is not None and is_made_anew(analysis, given, place.scope, turn)
    return False
