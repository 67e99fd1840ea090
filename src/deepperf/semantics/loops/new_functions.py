"""Whether the functions that a turn of a loop uses are made in that turn."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.turns import Turn, binder, returns_new
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope, ScopeKind
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    UNKNOWN,
    ClassTerm,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
)


def is_made_anew(analysis: Analysis, node: ast.expr, scope: Scope, turn: Turn) -> bool:
    """Whether an expression is known to be a function object of this turn alone."""
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.Call):
        return returns_new(analysis, node, scope)
    if isinstance(node, ast.Attribute):
        # Reading a method of an object makes a new function object each time.
        held = values.evaluate(analysis, node, scope)
        # Beside what the project passes there is what others may.
        known = [term for term in held if term != UNKNOWN]
        return bool(known) and all(
            isinstance(term, Method)
            and isinstance(term.function, FunctionTerm)
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
