"""Which expressions are known to be single numbers: what is computed of them costs nothing."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope, parameters
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.text import tree
from deepperf.semantics.values import elements, values
from deepperf.semantics.values.terms import NONE, External, Instance, Literal, Object

_TYPES = frozenset(("bool", "float", "int"))
_MAKING = tuple(f"builtins.{name}" for name in ("bool", "float", "int", "len"))
_MOST_PLACES = 4
"""Definitions or calls up to which they are all looked at."""


def is_number(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is a single number each time, as far as the text tells."""
    return analysis.remember(
        ("is number", node), lambda: _is_number(analysis, node, scope), otherwise=False
    )


def _is_number(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    if isinstance(node, ast.UnaryOp):
        return is_number(analysis, node.operand, scope)
    if isinstance(node, ast.BinOp):
        return is_number(analysis, node.left, scope) and is_number(analysis, node.right, scope)
    if isinstance(node, ast.Call):
        return _is_made(analysis, node, scope)
    if isinstance(node, ast.Name):
        found = values.definitions_of(analysis, node, scope)
        return 0 < len(found) <= _MOST_PLACES and all(_is_bound(analysis, one) for one in found)
    if isinstance(node, ast.Subscript):
        # A size: `x.shape[0]`.
        if isinstance(node.slice, ast.Slice):
            return False
        is_size = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        return is_size or _is_item(analysis, node, scope)
    if isinstance(node, ast.Attribute):
        held = values.evaluate(analysis, node, scope)
        if held and all(isinstance(term, Literal) for term in held):
            return all(isinstance(getattr(term, "value", None), (int, float)) for term in held)
        return _is_declared(analysis, node, scope)
    return False


def _is_item(analysis: Analysis, node: ast.Subscript, scope: Scope) -> bool:
    """Whether it is one of the numbers of an array that was made with a single axis."""
    if isinstance(node.slice, ast.Tuple) or not is_number(analysis, node.slice, scope):
        return False
    made = [term for term in values.evaluate(analysis, node.value, scope) if term != NONE]
    return bool(made) and all(
        isinstance(term, Instance)
        and term.site is not None
        and _lists_numbers(analysis, term.site, term.scope)
        for term in made
    )


def _is_made(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    held = values.evaluate(analysis, call.func, scope)
    names = callgraph.external_names(held)
    if len(names) == 1 and (names[0] in _MAKING or names[0].startswith("math.")):
        return True
    fact = callgraph.fact_of(analysis, held)
    if has(fact, Trait.DRAWS) and fact.framework == "numpy":
        return _is_drawn_alone(analysis, call, fact, scope)
    given = tree.arguments(call)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if owner is not None and not _is_module(analysis, owner, scope):
        given.append(owner)
    return (
        bool(given)
        and has(fact, Trait.ELEMENTWISE)
        and all(is_number(analysis, part, scope) for part in given)
    )


def _is_drawn_alone(analysis: Analysis, call: ast.Call, fact: Fact, scope: Scope) -> bool:
    """Whether a draw of numbers asks for no more than one."""
    sized = [one for one in fact.parameters if one.role is ParameterRole.SHAPE]
    return (
        bool(sized)
        and not any(callgraph.parameter_argument(call, one) for one in sized)
        and all(is_number(analysis, part, scope) for part in tree.arguments(call))
    )


def _is_module(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    held = values.evaluate(analysis, node, scope)
    return bool(held) and all(isinstance(term, External) for term in held)


def _is_bound(analysis: Analysis, definition: Definition) -> bool:
    """Whether a name is bound to a number in one place."""
    value, scope = definition.value, definition.scope
    if definition.binding is Binding.PARAMETER:
        return _is_given(analysis, definition)
    if value is None:
        return False
    if definition.binding is Binding.ASSIGNED:
        return not definition.unpacking and is_number(analysis, value, scope)
    if definition.binding is not Binding.ITERATED or definition.unpacking:
        return False
    whole = elements.bare(analysis, value, scope)
    shape = array_shapes.array_shape(analysis, whole, scope)
    return _lists_numbers(analysis, whole, scope) or (shape is not None and len(shape) == 1)


def _lists_numbers(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether what is gone over is a range, or an array with a single axis."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    held = values.evaluate(analysis, node.func, scope)
    if set(elements.RANGES).issuperset(callgraph.external_names(held) or ("",)):
        return True
    return has(callgraph.fact_of(analysis, held), Trait.CREATES_ARRAY) and all(
        is_number(analysis, part, scope) for part in node.args
    )


def _is_given(analysis: Analysis, definition: Definition) -> bool:
    """Whether a parameter is a number, by its annotation, or by its default and all calls."""
    function = definition.scope.node
    if isinstance(function, (ast.Module, ast.ClassDef)):
        return False
    argument = next((a for a in parameters(function) if a.arg == definition.name), None)
    if argument is None or argument.annotation is not None:
        return argument is not None and _names_number(argument.annotation)
    with analysis.going_up() as may_go_up:
        if not may_go_up:
            return False
        passed = callers.sizes_for(analysis, definition.scope, definition.name)
        return 0 < len(passed) <= _MOST_PLACES and all(
            is_number(analysis, node, scope) for node, scope in passed
        )


def _is_declared(analysis: Analysis, node: ast.Attribute, scope: Scope) -> bool:
    """Whether it reads a field that its class declares to be a number."""
    classes = [
        term.cls
        for term in values.evaluate(analysis, node.value, scope)
        if isinstance(term, Object)
    ]
    return bool(classes) and all(_declares_number(cls, node.attr) for cls in classes)


def _declares_number(cls: Scope, name: str) -> bool:
    return any(
        _names_number(statement.annotation)
        for statement in getattr(cls.node, "body", ())
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.target.id == name
    )


def _names_number(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.BinOp):
        return _names_number(annotation.left) and _names_number(annotation.right)
    return isinstance(annotation, ast.Name) and annotation.id in _TYPES
