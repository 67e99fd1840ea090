"""What the constants are that a function of one element of a dataset works with: those beside it.

How many axes they have, and what is written out of them, as far as the text tells.
"""

from __future__ import annotations

import ast

from deepperf.semantics.calls import parts, ranks
from deepperf.semantics.calls.parts import Beside, Kind, Part
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Getter, Setter
from deepperf.semantics.values import elements, values
from deepperf.semantics.values.terms import (
    NONE,
    Argument,
    Display,
    Instance,
    Literal,
    Object,
    Term,
    Value,
    union,
)


def indexed(analysis: Analysis, whole: Part, index: list[ast.expr], scope: Scope) -> Part | None:
    """What an index gives of the last axes of a tensor; None where that may have any number."""
    more = 0
    for element in index:
        if isinstance(element, ast.Constant) and element.value is None:
            more += 1
        elif not isinstance(element, ast.Slice):
            if type(constant(analysis, element, scope).value) is not int:
                return None
            more -= 1
    return parts.with_axes(whole, more)


def constant(analysis: Analysis, node: ast.expr, scope: Scope) -> Beside:
    """What an expression gives in which no part of the element occurs."""
    found = _beside(analysis, known(analysis, node, scope))
    if found.rank is None:
        return Beside(ranks.rank(analysis, node, scope), found.value)
    return found


def bound(analysis: Analysis, target: ast.expr, scope: Scope) -> dict[str, Kind]:
    """What taking constants apart, or going through them, binds the names of a target to."""
    return {
        name.id: _bound(analysis, name, scope)
        for name in tree.walk(target)
        if isinstance(name, ast.Name)
    }


def _bound(analysis: Analysis, target: ast.Name, scope: Scope) -> Beside:
    held: list[Value] = []
    for definition in analysis.module_of(scope).flow(scope).all.get(target.id, ()):
        given, unpacking = definition.value, definition.unpacking
        if definition.node is not target or given is None:
            continue
        if definition.binding is Binding.ITERATED:
            held.append(elements.iterated(analysis, given, scope, unpacking, known))
        elif definition.binding is Binding.ASSIGNED:
            held.append(elements.unpack(analysis, known(analysis, given, scope), unpacking))
    return _beside(analysis, _without_parameters(union(*held)))


def element(analysis: Analysis, iterable: ast.expr, scope: Scope) -> Beside:
    """What a loop goes through whose items do not depend on the element."""
    held = elements.iterated(analysis, iterable, scope, (), known)
    found = _beside(analysis, _without_parameters(held))
    is_text = bool(held) and all(_is_text(term) for term in held)
    return Beside(0, parts.SOME_NAME) if is_text else Beside(found.rank)


def _is_text(term: Term) -> bool:
    if isinstance(term, Literal):
        return term.kind is str
    return isinstance(term, Instance) and term.type == "builtins.str"


def _beside(analysis: Analysis, held: Value) -> Beside:
    found = [ranks.of_term(analysis, term) for term in held]
    value = held[0].value if len(held) == 1 and isinstance(held[0], Literal) else None
    # What is None at first becomes something else before it is used.
    if None in found or all(term == NONE for term in held):
        return Beside(None, value)
    is_text = value is None and all(_is_text(term) for term in held)
    most = max(rank for rank in found if rank is not None)
    return Beside(most, parts.SOME_NAME if is_text else value)


def known(analysis: Analysis, node: ast.expr, scope: Scope) -> Value:
    """What an expression holds, as far as calls in the project say what its parameters are."""
    if isinstance(node, ast.Name):
        bound = values.definitions_of(analysis, node, scope)
        if bound and all(d.binding is Binding.ITERATED and d.value is not None for d in bound):
            gone_through = [
                elements.iterated(analysis, d.value, d.scope, d.unpacking, known)
                for d in bound
                if d.value is not None
            ]
            return _without_parameters(union(*gone_through))
    if isinstance(node, ast.Subscript):
        whole = known(analysis, node.value, scope)
        if whole and all(isinstance(term, Display) for term in whole):
            return _without_parameters(elements.item_of(analysis, whole, node, scope))
    if isinstance(node, ast.Attribute) and not isinstance(node, (Getter, Setter)):
        whole = known(analysis, node.value, scope)
        if whole and all(isinstance(term, Object) for term in whole):
            held = [values.attribute_of(analysis, term, node, scope) for term in whole]
            return _without_parameters(union(*held))
    return _without_parameters(values.evaluate(analysis, node, scope))


def _without_parameters(held: Value) -> Value:
    """What is known, where something is, beside what a parameter may hold."""
    return tuple(term for term in held if not isinstance(term, Argument)) or held
