"""Sizes that the text tells: numbers, tuples of sizes, and the shapes of arrays.

A parameter counts as what its default, or the calls that are seen, give it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope, last_name
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
Read: TypeAlias = Callable[[Analysis, ast.expr, Scope], int | None]
"""How a number is read: `number` or `length`."""
_HIGHEST_POWER = 8


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
    found = _whole(constant(analysis, node, scope))
    if found is not None:
        return found
    nothing: int | None = None
    return analysis.remember(
        ("size read", node), lambda: _size_read(analysis, node, scope, number), nothing
    )


def length(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """As `number`, but a parameter's default does not count where others may call."""
    held = values.evaluate(analysis, node, scope)
    found = _whole(held[0].value) if len(held) == 1 and isinstance(held[0], Literal) else None
    if found is not None:
        return found
    nothing: int | None = None
    return analysis.remember(
        ("length read", node), lambda: _size_read(analysis, node, scope, length), nothing
    )


def _whole(constant: object) -> int | None:
    if isinstance(constant, float):
        return int(constant) if constant.is_integer() else None
    return constant if isinstance(constant, int) and not isinstance(constant, bool) else None


def _known(held: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(term for term in held if not isinstance(term, Argument))


def _size_read(analysis: Analysis, node: ast.expr, scope: Scope, read: Read) -> int | None:
    """`x.shape[1]`, `len(x)`, and products and powers of what `read` knows."""
    if isinstance(node, ast.Subscript):
        index = constant(analysis, node.slice, scope)
        sizes = numbers(analysis, node.value, scope)
        if isinstance(index, int) and sizes is not None and -len(sizes) <= index < len(sizes):
            return sizes[index]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Pow)):
        left, right = (read(analysis, side, scope) for side in (node.left, node.right))
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Mult):
            return left * right
        return int(left**right) if 0 <= right < _HIGHEST_POWER else None
    if isinstance(node, ast.Call) and (array := measured(analysis, node, scope)) is not None:
        whole = array_shapes.array_shape(analysis, *array)
        return whole[0] if whole else None
    if isinstance(node, ast.Name):
        definition = _single(analysis, node, scope)
        if definition is not None and definition.value is not None and not definition.unpacking:
            return read(analysis, definition.value, definition.scope)
        return _passed(analysis, node, scope, read)
    return None


def _passed(analysis: Analysis, node: ast.Name, scope: Scope, read: Read) -> int | None:
    """The size that all calls give a parameter."""
    definitions = values.definitions_of(analysis, node, scope)
    if len(definitions) != 1 or definitions[0].binding is not Binding.PARAMETER:
        return None
    with analysis.going_up() as may_go_up:
        if not may_go_up:
            return None
        passed = callers.sizes_for(analysis, definitions[0].scope, node.id)
        found = {read(analysis, given, at) for given, at in passed[:4]}
    return found.pop() if len(found) == 1 else None


def measured(analysis: Analysis, node: ast.expr, scope: Scope) -> Place | None:
    """The array whose length an expression is: `x` of `len(x)`, `x.shape[0]`, `tf.shape(x)[0]`."""
    for _ in range(3):
        if not isinstance(node, ast.Name):
            break
        definition = _single(analysis, node, scope)
        if definition is None or definition.value is None or definition.unpacking:
            return None
        node, scope = definition.value, definition.scope
    if isinstance(node, ast.Call):
        whole = _whole_of_length(analysis, node, scope)
    elif isinstance(node, ast.Subscript) and getattr(node.slice, "value", None) == 0:
        whole = _whole_of_shape(analysis, node.value, scope)
    else:
        whole = None
    return (whole, scope) if whole is not None else None


def _whole_of_length(analysis: Analysis, call: ast.Call, scope: Scope) -> ast.expr | None:
    """The array whose rows a call counts: `len(x)`, `x.size(0)`."""
    if asks_first_size(call):
        return call.func.value if isinstance(call.func, ast.Attribute) else None
    if len(call.args) != 1:
        return None
    is_length = values.evaluate(analysis, call.func, scope) == (External("builtins.len"),)
    return call.args[0] if is_length else None


def asks_first_size(node: ast.expr) -> bool:
    """Whether it asks a tensor how many rows it has: `x.size(0)`."""
    return (
        isinstance(node, ast.Call)
        and last_name(node.func) == "size"
        and [getattr(argument, "value", None) for argument in node.args] == [0]
    )


def _whole_of_shape(analysis: Analysis, node: ast.expr, scope: Scope) -> ast.expr | None:
    """The array that a shape is asked of: `x.shape`, `x.get_shape()`, `tf.shape(x)`."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "shape" else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr == "get_shape":
        return node.func.value
    names = callgraph.external_names(values.evaluate(analysis, node.func, scope))
    is_asked = bool(names) and all(name.rpartition(".")[2] == "shape" for name in names)
    return node.args[0] if is_asked and node.args else None


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
        return _written(analysis, held[0], number)
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


def lengths(analysis: Analysis, given: list[ast.expr], scope: Scope) -> Sizes | None:
    """The lengths of axes: one after the other, all in a sequence, or a single one."""
    if len(given) == 1 and not isinstance(given[0], ast.Starred):
        held = values.evaluate(analysis, given[0], scope)
        if len(held) == 1 and isinstance(held[0], Display):
            return _written(analysis, held[0], length)
        single = length(analysis, given[0], scope)
        return numbers(analysis, given[0], scope) if single is None else (single,)
    return _listed(analysis, given, scope, length) or None


def _written(analysis: Analysis, display: Display, read: Read) -> Sizes | None:
    if not isinstance(display.node, (ast.Tuple, ast.List)):
        return None
    return _listed(analysis, display.node.elts, display.scope, read)


def _listed(analysis: Analysis, nodes: list[ast.expr], scope: Scope, read: Read) -> Sizes | None:
    found: list[int | None] = []
    for element in nodes:
        if isinstance(element, ast.Starred):
            inner = numbers(analysis, element.value, scope)
            if inner is None:
                return None
            found.extend(inner)
        else:
            found.append(read(analysis, element, scope))
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
