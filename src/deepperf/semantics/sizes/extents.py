"""The shapes of arrays, where the text tells them: by literals, and by what makes grids and pairs.

A length that is not known is None; so is a shape of which nothing is known.
"""

from __future__ import annotations

import ast
import math

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.sizes import rows
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Display, External

Shape = tuple[int | None, ...]

_BY_SHAPE = frozenset(("zeros", "ones", "empty", "full", "random", "random_sample"))
_BY_LENGTHS = frozenset(("rand", "randn"))
_BY_SIZE = frozenset(("uniform", "normal", "randint", "integers", "choice", "standard_normal"))
_FLAT = frozenset(("ravel", "flatten"))
_SAME = frozenset(("astype", "copy", "asarray", "array", "float32", "ascontiguousarray", "abs"))


def shape(analysis: Analysis, node: ast.expr, scope: Scope) -> Shape | None:
    """The shape of the array that an expression holds."""
    return analysis.remember(("shape", node), lambda: _shape(analysis, node, scope), None)


def size_of(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The whole number that an expression holds: written out, or the length of a known array."""
    return analysis.remember(("size", node), lambda: _size(analysis, node, scope), None)


def _size(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    known = rows.number(analysis, node, scope)
    if known is not None:
        return known
    if isinstance(node, ast.BinOp):
        left = size_of(analysis, node.left, scope)
        right = size_of(analysis, node.right, scope)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Pow) and 0 <= right < 8:
            return int(left**right)
        return None
    if isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1:
        whole = shape(analysis, node.args[0], scope)
        return whole[0] if whole else None
    if isinstance(node, ast.Subscript):
        array = node.value
        index = rows.number(analysis, node.slice, scope)
        if isinstance(array, ast.Attribute) and array.attr == "shape" and index is not None:
            whole = shape(analysis, array.value, scope)
            return whole[index] if whole and -len(whole) <= index < len(whole) else None
    if isinstance(node, ast.Name):
        found = {
            size_of(analysis, d.value, d.scope)
            if d.binding is Binding.ASSIGNED and d.value is not None and not d.unpacking
            else _given_size(analysis, d)
            for d in values.definitions_of(analysis, node, scope)
        }
        return found.pop() if len(found) == 1 else None
    return None


def _given_size(analysis: Analysis, definition: Definition) -> int | None:
    if definition.binding is not Binding.PARAMETER:
        return None
    given = callers.arguments_for(analysis, definition.scope, definition.name)
    found = {size_of(analysis, node, scope) for node, scope in given}
    return found.pop() if len(found) == 1 else None


def _shape(analysis: Analysis, node: ast.expr, scope: Scope) -> Shape | None:
    if isinstance(node, ast.Name):
        found = {
            _defined(analysis, definition)
            for definition in values.definitions_of(analysis, node, scope)
        }
        return found.pop() if len(found) == 1 else None
    if isinstance(node, ast.Call):
        return _of_call(analysis, node, scope)
    if isinstance(node, ast.Subscript):
        return _of_part(analysis, node, scope)
    if isinstance(node, ast.Attribute) and node.attr == "T":
        whole = shape(analysis, node.value, scope)
        return whole[::-1] if whole is not None else None
    if isinstance(node, ast.BinOp):
        sides = [shape(analysis, side, scope) for side in (node.left, node.right)]
        known = [side for side in sides if side is not None]
        return max(known, key=len) if known else None
    return None


def _defined(analysis: Analysis, definition: Definition) -> Shape | None:
    if definition.binding is Binding.PARAMETER:
        given = callers.arguments_for(analysis, definition.scope, definition.name)
        found = {shape(analysis, node, scope) for node, scope in given}
        return found.pop() if len(found) == 1 else None
    if definition.binding is not Binding.ASSIGNED or definition.value is None:
        return None
    if not definition.unpacking:
        return shape(analysis, definition.value, definition.scope)
    value = definition.value
    if isinstance(value, ast.Call) and last_name(value.func) == "meshgrid":
        return _grid(analysis, value, definition.scope)
    whole = shape(analysis, value, definition.scope)
    # Each name gets one part of the first axis.
    return whole[1:] if whole is not None and len(definition.unpacking) == 1 else None


def _grid(analysis: Analysis, node: ast.Call, scope: Scope) -> Shape | None:
    sides = [shape(analysis, argument, scope) for argument in node.args]
    if not sides or any(side is None or len(side) != 1 for side in sides):
        return None
    lengths = [side[0] for side in sides if side]
    return (lengths[1], lengths[0], *lengths[2:]) if len(lengths) > 1 else tuple(lengths)


def _of_call(analysis: Analysis, node: ast.Call, scope: Scope) -> Shape | None:
    held = values.evaluate(analysis, node.func, scope)
    targets = callgraph.targets_of(analysis, held)
    if targets:
        returned = {
            shape(analysis, value, target.function)
            for target in targets
            for value in target.function.returns
        }
        return returned.pop() if len(returned) == 1 else None
    name = last_name(node.func) or ""
    fact = callgraph.fact_of(analysis, held)
    if has(fact, Trait.PREDICTS):
        given = callgraph.role_argument(node, fact, ParameterRole.INPUT)
        whole = shape(analysis, given, scope) if given is not None else None
        return (whole[0], None) if whole else None
    is_function = any(isinstance(term, External) for term in held)
    arguments = list(node.args)
    array: ast.expr | None = None
    if is_function:
        array = arguments[0] if arguments else None
    elif isinstance(node.func, ast.Attribute):
        array, arguments = node.func.value, [node.func.value, *arguments]
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    made = _made(analysis, name, node, named, scope)
    if made is not None:
        return made
    if array is None:
        return None
    if name in ("stack", "dstack", "column_stack", "concatenate", "vstack", "hstack"):
        axis = named.get("axis", arguments[1] if len(arguments) > 1 else None)
        return _joined(analysis, name, array, axis, scope)
    whole = shape(analysis, array, scope)
    if name in _SAME or has(fact, Trait.ELEMENTWISE):
        return whole
    if whole is None:
        return None
    total = math.prod(n for n in whole if n is not None) if None not in whole else None
    if name in _FLAT:
        return (total,)
    if name == "reshape":
        return _reshaped(analysis, arguments[1:] or list(named.values()), total, scope)
    if name in ("repeat", "tile") and len(arguments) > 1:
        times = _times(analysis, arguments[1], scope)
        keeps = "axis" in named or name == "tile" or len(arguments) > 2
        if times is None:
            return None
        if keeps and whole[0] is not None:
            return (whole[0] * times, *whole[1:])
        return (total * times,) if total is not None else None
    return None


def _times(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    if isinstance(node, (ast.Tuple, ast.List)) and node.elts:
        return size_of(analysis, node.elts[0], scope)
    return size_of(analysis, node, scope)


def _made(
    analysis: Analysis, name: str, node: ast.Call, named: dict[str, ast.expr], scope: Scope
) -> Shape | None:
    """The shape of a new array whose lengths the call names."""
    if name in _BY_LENGTHS and node.args:
        return tuple(size_of(analysis, argument, scope) for argument in node.args)
    if name in _BY_SHAPE or name in _BY_SIZE:
        given = named.get("size") or named.get("shape")
        if given is None and name in _BY_SHAPE and node.args:
            given = node.args[0]
        if given is None and name in _BY_SIZE and len(node.args) == 3:
            given = node.args[2]
        return named_shape(analysis, given, scope) if given is not None else None
    if name == "arange" and len(node.args) == 1:
        return (size_of(analysis, node.args[0], scope),)
    if name == "linspace":
        count = node.args[2] if len(node.args) > 2 else named.get("num")
        return (size_of(analysis, count, scope) if count is not None else 50,)
    if name == "meshgrid":
        sides = _grid(analysis, node, scope)
        return (len(node.args), *sides) if sides else None
    if name == "indices" and node.args:
        sides = named_shape(analysis, node.args[0], scope)
        return (len(sides), *sides) if sides else None
    return None


def named_shape(analysis: Analysis, node: ast.expr, scope: Scope) -> Shape | None:
    """The shape that an expression names: a sequence of lengths, or a single one."""
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Display) and isinstance(term.node, (ast.List, ast.Tuple)):
            return tuple(size_of(analysis, part, term.scope) for part in term.node.elts)
    length = size_of(analysis, node, scope)
    return (length,) if length is not None else None


def _reshaped(
    analysis: Analysis, given: list[ast.expr], total: int | None, scope: Scope
) -> Shape | None:
    if len(given) == 1:
        lengths = named_shape(analysis, given[0], scope)
    else:
        lengths = tuple(size_of(analysis, part, scope) for part in given)
    if not lengths:
        return None
    if -1 not in lengths:
        return lengths
    others = [length for length in lengths if length != -1]
    known = math.prod(n for n in others if n is not None) if None not in others else None
    rest = total // known if total is not None and known else None
    return tuple(rest if length == -1 else length for length in lengths)


def _joined(
    analysis: Analysis, name: str, given: ast.expr, axis: ast.expr | None, scope: Scope
) -> Shape | None:
    along = rows.number(analysis, axis, scope) if axis is not None else 0
    if name == "stack" and not isinstance(given, (ast.List, ast.Tuple)):
        whole = shape(analysis, given, scope)
        return _stacked(whole[1:], whole[0], along) if whole else None
    if not isinstance(given, (ast.List, ast.Tuple)) or not given.elts:
        return None
    parts = [shape(analysis, part, scope) for part in given.elts]
    first = parts[0]
    if first is None:
        return None
    if name == "column_stack":
        return (first[0], len(parts) if len(first) == 1 else None)
    if name == "stack":
        return _stacked(first, len(parts), along)
    if name == "dstack":
        return (*first, len(parts)) if len(first) == 2 else None
    if name in ("vstack", "concatenate") and along == 0:
        lengths = [part[0] if part else None for part in parts]
        known = [length for length in lengths if length is not None]
        return (sum(known), *first[1:]) if len(known) == len(lengths) else None
    return (first[0], None) if len(first) == 2 else None


def _stacked(part: Shape, count: int | None, along: int | None) -> Shape | None:
    """The shape of `count` arrays of one shape, put side by side along a new axis."""
    if along is None or not -len(part) - 1 <= along <= len(part):
        return None
    place = along if along >= 0 else along + len(part) + 1
    return (*part[:place], count, *part[place:])


def _of_part(analysis: Analysis, node: ast.Subscript, scope: Scope) -> Shape | None:
    index = node.slice
    if last_name(node.value) == "mgrid":
        axes = index.elts if isinstance(index, ast.Tuple) else [index]
        lengths = tuple(_range(analysis, axis, scope) for axis in axes)
        return (len(lengths), *lengths)
    whole = shape(analysis, node.value, scope)
    if last_name(node.value) == "c_" and isinstance(index, ast.Tuple):
        first = shape(analysis, index.elts[0], scope)
        return (first[0], len(index.elts)) if first else None
    if isinstance(index, ast.Tuple):
        return None
    if rows.number(analysis, index, scope) is not None:
        return whole[1:] if whole else None
    chosen = shape(analysis, index, scope)
    if chosen is not None:
        return (*chosen, *(whole[1:] if whole else (None,)))
    return None


def _range(analysis: Analysis, axis: ast.expr, scope: Scope) -> int | None:
    if not isinstance(axis, ast.Slice) or axis.upper is None or axis.step is not None:
        return None
    end = size_of(analysis, axis.upper, scope)
    start = 0 if axis.lower is None else rows.number(analysis, axis.lower, scope)
    return end - start if end is not None and start is not None else None
