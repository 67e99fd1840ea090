"""What gets longer in each iteration of a loop: lists that are appended to, arrays joined with
more.
"""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Display, Instance

_DEEPEST = 6
_MAKING = frozenset(
    (Trait.CREATES_ARRAY, Trait.JOINS, Trait.CASTS, Trait.VIEWS, Trait.MAKES_TENSOR)
)
_LISTS = ("builtins.list",)


def grows(
    analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame, deepest: int = _DEEPEST
) -> bool:
    """Whether what an expression in the loop's body gives is longer in each iteration.

    False where that is not known: where something in the iterations may shorten it, or cut it.
    """
    if not deepest or scope is not loop.scope:
        return False
    if isinstance(node, ast.Name):
        return _name_grows(analysis, node, scope, loop, deepest)
    if isinstance(node, ast.List) and len(node.elts) == 1:
        return grows(analysis, node.elts[0], scope, loop, deepest - 1)
    if isinstance(node, ast.Subscript) and _adds_axes(node.slice):
        return grows(analysis, node.value, scope, loop, deepest - 1)
    if isinstance(node, ast.Call):
        fact = callgraph.fact_of_call(analysis, node, scope)
        if not has(fact, *_MAKING):
            return False
        whole = node.args[0] if node.args else None
        if isinstance(node.func, ast.Attribute) and _is_method(analysis, node.func, scope):
            whole = node.func.value
        return whole is not None and grows(analysis, whole, scope, loop, deepest - 1)
    return False


def _is_method(analysis: Analysis, function: ast.Attribute, scope: Scope) -> bool:
    held = values.evaluate(analysis, function.value, scope)
    return any(isinstance(term, Instance) for term in held)


def _adds_axes(index: ast.expr) -> bool:
    """Whether an index takes everything: `x[None]`, `x[None, :]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(
        (isinstance(part, ast.Constant) and part.value is None)
        or getattr(part, "attr", "") == "newaxis"
        or (isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step))
        for part in parts
    )


def _name_grows(
    analysis: Analysis, node: ast.Name, scope: Scope, loop: Frame, deepest: int
) -> bool:
    definitions = values.definitions_of(analysis, node, scope)
    inside = [one for one in definitions if id(loop.node) in one.loops]
    if inside and len(inside) == len(definitions):
        return all(
            one.binding is Binding.ASSIGNED
            and one.value is not None
            and not one.unpacking
            and grows(analysis, one.value, scope, loop, deepest - 1)
            for one in inside
        )
    if inside:
        return all(_adds_to_itself(analysis, one, node.id, loop) for one in inside)
    return _is_list(analysis, node, scope) and _is_appended_to(node.id, loop)


def _is_list(analysis: Analysis, node: ast.Name, scope: Scope) -> bool:
    for definition in values.definitions_of(analysis, node, scope):
        if isinstance(definition.value, ast.Call) and not definition.unpacking:
            held = values.evaluate(analysis, definition.value.func, definition.scope)
            if callgraph.external_names(held) == _LISTS:
                return True
    return any(
        (isinstance(term, Display) and isinstance(term.node, (ast.List, ast.ListComp)))
        or (isinstance(term, Instance) and term.type in _LISTS)
        for term in values.evaluate(analysis, node, scope)
    )


def _is_appended_to(name: str, loop: Frame) -> bool:
    """Whether each iteration lengthens a list, by its text, and none shortens it."""
    if any(
        _calls_on(part, name, members.CONTAINER_REMOVALS)
        or (isinstance(part, ast.Delete) and name in tree.names_in(*part.targets))
        for part in tree.walk(loop.node)
    ):
        return False
    return any(
        isinstance(statement, ast.Expr) and _calls_on(statement.value, name, members.LIST_ADDITIONS)
        for statement in getattr(loop.node, "body", ())
    )


def _calls_on(node: ast.AST, name: str, methods: frozenset[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in methods
        and getattr(node.func.value, "id", "") == name
    )


def _adds_to_itself(analysis: Analysis, made: Definition, name: str, loop: Frame) -> bool:
    """Whether an iteration joins what there was with more: `x = concatenate([x, new])`."""
    value = made.value
    always = {id(statement) for statement in getattr(loop.node, "body", ())}
    if made.binding is Binding.AUGMENTED:
        # What is added to an array is no item of a list.
        return id(made.node) in always and isinstance(value, ast.List) and bool(value.elts)
    if made.binding is not Binding.ASSIGNED or made.unpacking or not isinstance(value, ast.Call):
        return False
    fact = callgraph.fact_of_call(analysis, value, made.scope)
    if not has(fact, Trait.JOINS) or Trait.LENGTHENS not in fact.traits:
        return False
    parts = value.args[0] if value.args else None
    return (
        isinstance(parts, (ast.List, ast.Tuple))
        and len(parts.elts) > 1
        and any(isinstance(part, ast.Name) and part.id == name for part in parts.elts)
        and any(_assigns(statement, value) for statement in getattr(loop.node, "body", ()))
    )


def _assigns(statement: ast.stmt, value: ast.expr) -> bool:
    return isinstance(statement, ast.Assign) and statement.value is value
