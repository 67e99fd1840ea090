"""Sizes that the text tells: numbers, tuples of sizes, and the shapes of arrays.

A parameter counts as what its default, or the calls that are seen, give it.
"""

from __future__ import annotations

import ast
from typing import TypeAlias

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import (
    Argument,
    Display,
    External,
    Literal,
    Object,
    Term,
)

Sizes: TypeAlias = tuple[int | None, ...]
Place: TypeAlias = tuple[ast.expr, Scope]


def constant(analysis: Analysis, node: ast.expr, scope: Scope) -> object:
    """The one constant that an expression is known to hold; None where there is none."""
    held = _known(_held(analysis, node, scope))
    if len(held) == 1 and isinstance(held[0], Literal):
        return held[0].value
    return None


def _held(analysis: Analysis, node: ast.expr, scope: Scope) -> tuple[Term, ...]:
    """What an expression holds; of a parameter's attributes, those of the objects passed."""
    if not isinstance(node, ast.Attribute):
        return values.evaluate(analysis, node, scope)
    objects = _known(values.evaluate(analysis, node.value, scope))
    if len(objects) != 1 or not isinstance(objects[0], Object):
        return values.evaluate(analysis, node, scope)
    return values.attribute_of(analysis, objects[0], node, scope)


def number(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The one whole number that an expression is known to hold."""
    found = constant(analysis, node, scope)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        nothing: int | None = None
        return analysis.remember(
            ("size read", node), lambda: _size_read(analysis, node, scope), nothing
        )
    return int(found) if found == int(found) else None


def _known(held: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(term for term in held if not isinstance(term, Argument))


def _size_read(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """`x.shape[1]`, and products of sizes."""
    if isinstance(node, ast.Subscript):
        index = constant(analysis, node.slice, scope)
        sizes = numbers(analysis, node.value, scope)
        if isinstance(index, int) and sizes is not None and -len(sizes) <= index < len(sizes):
            return sizes[index]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left = number(analysis, node.left, scope)
        right = number(analysis, node.right, scope)
        return left * right if left is not None and right is not None else None
    if isinstance(node, ast.Name):
        definition = _single(analysis, node, scope)
        if definition is not None and definition.value is not None and not definition.unpacking:
            return number(analysis, definition.value, definition.scope)
    return None


def measured(analysis: Analysis, node: ast.expr, scope: Scope) -> Place | None:
    """The array whose length an expression is: `x` of `len(x)` and of `x.shape[0]`."""
    for _ in range(3):
        if not isinstance(node, ast.Name):
            break
        definition = _single(analysis, node, scope)
        if definition is None or definition.value is None or definition.unpacking:
            return None
        node, scope = definition.value, definition.scope
    if isinstance(node, ast.Call) and len(node.args) == 1:
        held = values.evaluate(analysis, node.func, scope)
        return (node.args[0], scope) if held == (External("builtins.len"),) else None
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "shape"
        and getattr(node.slice, "value", None) == 0
    ):
        return node.value.value, scope
    return None


def factors(analysis: Analysis, node: ast.expr, scope: Scope) -> Sizes:
    """The numbers that a product multiplies, as they stand: 512, 7, 7 of `512 * 7 * 7`."""
    unknown: Sizes = (None,)
    return analysis.remember(("factors", node), lambda: _factors(analysis, node, scope), unknown)


def _factors(analysis: Analysis, node: ast.expr, scope: Scope) -> Sizes:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return (
            *factors(analysis, node.left, scope),
            *factors(analysis, node.right, scope),
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        times = number(analysis, node.right, scope)
        if times in (2, 3):
            return (number(analysis, node.left, scope),) * times
    if isinstance(node, ast.Name):
        definition = _single(analysis, node, scope)
        if definition is not None and isinstance(definition.value, ast.BinOp):
            return factors(analysis, definition.value, definition.scope)
    return (number(analysis, node, scope),)


def numbers(analysis: Analysis, node: ast.expr, scope: Scope) -> Sizes | None:
    """The sizes that a tuple or list holds, each None where it is not known."""
    return analysis.remember(("sizes", node), lambda: _numbers(analysis, node, scope), None)


def _numbers(analysis: Analysis, node: ast.expr, scope: Scope) -> Sizes | None:
    held = _known(values.evaluate(analysis, node, scope))
    if len(held) == 1 and isinstance(held[0], Display):
        return _written(analysis, held[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left = numbers(analysis, node.left, scope)
        right = numbers(analysis, node.right, scope)
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        return array_shapes.array_shape(analysis, node.value, scope)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return _sliced(numbers(analysis, node.value, scope), node.slice)
    if isinstance(node, ast.Name):
        definition = _single(analysis, node, scope)
        if definition is not None and definition.value is not None and not definition.unpacking:
            return numbers(analysis, definition.value, definition.scope)
    return None


def _written(analysis: Analysis, display: Display) -> Sizes | None:
    if not isinstance(display.node, (ast.Tuple, ast.List)):
        return None
    found: list[int | None] = []
    for element in display.node.elts:
        if isinstance(element, ast.Starred):
            inner = numbers(analysis, element.value, display.scope)
            if inner is None:
                return None
            found.extend(inner)
        else:
            found.append(number(analysis, element, display.scope))
    return tuple(found)


def _sliced(sizes: Sizes | None, part: ast.Slice) -> Sizes | None:
    bounds = []
    for bound in (part.lower, part.upper):
        if isinstance(bound, ast.UnaryOp) and isinstance(bound.op, ast.USub):
            value = getattr(bound.operand, "value", None)
            bounds.append(-value if isinstance(value, int) else None)
        else:
            bounds.append(getattr(bound, "value", None))
    return sizes[bounds[0] : bounds[1]] if sizes is not None and part.step is None else None


def _single(analysis: Analysis, node: ast.Name, scope: Scope) -> Definition | None:
    found = values.definitions_of(analysis, node, scope)
    if len(found) == 1 and found[0].binding is Binding.ASSIGNED:
        return found[0]
    return None
