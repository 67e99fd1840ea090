"""The shapes of arrays that calls give: functions of the project, and of the frameworks.

What a framework's function does to a shape is told by its facts, as far as they have words for
it; what only moves, joins or repeats elements is told by its name, which all frameworks share.
"""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.sizes import array_shapes, dimensions
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import External

if TYPE_CHECKING:
    from deepperf.semantics.sizes.dimensions import Sizes

_GRIDS = frozenset(("arange", "geomspace", "indices", "linspace", "logspace", "meshgrid"))
_SQUARES = frozenset(("eye", "identity"))
_TYPES = frozenset(("device", "dtype", "name"))
"""What a call may be told beside a shape, which it does not change."""
_SHAPING = frozenset(("reshape", "view"))
_BELOW = frozenset(("cat", "concat", "concatenate", "row_stack", "vstack"))
_LINSPACE = 50
"""How many points `linspace` gives where it is not told."""


def call_shape(analysis: Analysis, call: ast.Call, scope: Scope) -> Sizes | None:
    """The shape of the array that a call gives."""
    held = values.evaluate(analysis, call.func, scope)
    if targets := callgraph.targets_of(analysis, held):
        returned = {
            array_shapes.array_shape(analysis, value, target.function)
            for target in targets
            for value in target.function.returns
        }
        return returned.pop() if len(returned) == 1 else None
    fact = callgraph.fact_of(analysis, held)
    if has(fact, Trait.PREDICTS):
        given = callgraph.role_argument(call, fact, ParameterRole.INPUT)
        asked = array_shapes.array_shape(analysis, given, scope) if given is not None else None
        return (asked[0], None) if asked else None
    if fact is not None and fact.returns in values.ARRAY_TYPES:
        made = _asked(analysis, call, fact, scope)
        if made is not None:
            return made
    is_function = any(isinstance(term, External) for term in held)
    data = list(call.args)
    if not is_function and isinstance(call.func, ast.Attribute):
        data.insert(0, call.func.value)
    if is_function and has(fact, Trait.KEEPS_SHAPE) and data:
        listed = data[0] if isinstance(data[0], (ast.List, ast.Tuple)) else None
        whole = array_shapes.array_shape(analysis, data[0], scope)
        return _written(listed) if listed is not None else whole
    if has(fact, Trait.ELEMENTWISE):
        return array_shapes.widest(array_shapes.array_shape(analysis, n, scope) for n in data)
    name = last_name(call.func)
    if (
        name in _SQUARES
        and has(fact, Trait.CREATES_ARRAY)
        and _TYPES.issuperset(given.arg for given in call.keywords)
    ):
        sides = dimensions.lengths(analysis, call.args[:2], scope)
        return sides * 2 if sides is not None and len(sides) == 1 else sides
    if name in _GRIDS or (name == "range" and has(fact, Trait.CREATES_ARRAY)):
        return _grid(analysis, call, fact, scope)
    return _changed(analysis, call, data, scope) if data else None


def _asked(analysis: Analysis, call: ast.Call, fact: Fact, scope: Scope) -> Sizes | None:
    """The shape that a function is told to give its result."""
    shape = next((p for p in fact.parameters if p.role is ParameterRole.SHAPE), None)
    if shape is None or shape.position is None:
        return None
    place = shape.position
    last = None if Trait.SPREADS_SHAPE in fact.traits else place + 1
    named = [given.value for given in call.keywords if given.arg == shape.name]
    return dimensions.lengths(analysis, call.args[place:last] or named, scope)


def _written(node: ast.List | ast.Tuple) -> Sizes | None:
    """The shape of the array that is made of numbers in a list, or in lists of a list.

    What stands beside a number is one, too: `[0, cos(angle), -sin(angle)]`.
    """
    if any(_numeric(element) is not None for element in node.elts) and not any(
        isinstance(element, (ast.List, ast.Tuple, ast.Starred)) for element in node.elts
    ):
        return (len(node.elts),)
    inner = {
        _written(element) if isinstance(element, (ast.List, ast.Tuple)) else _numeric(element)
        for element in node.elts
    }
    first = inner.pop() if len(inner) == 1 else None
    return None if first is None else (len(node.elts), *first)


def _numeric(node: ast.expr) -> Sizes | None:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    return () if isinstance(number, ast.Constant) and not isinstance(number.value, str) else None


def _changed(
    analysis: Analysis, call: ast.Call, data: list[ast.expr], scope: Scope
) -> Sizes | None:
    """The shape of what is made of `data`: the array, and what else the call is given."""
    name = last_name(call.func) or ""
    named = {given.arg: given.value for given in call.keywords if given.arg}
    axis = next((named[word] for word in ("axis", "dim") if word in named), None)
    if name in members.JOINS:
        beside = axis if axis is not None or len(data) < 2 else data[1]
        along = dimensions.length(analysis, beside, scope) if beside is not None else 0
        return _joined(analysis, name, data[0], along, scope)
    whole = array_shapes.array_shape(analysis, data[0], scope)
    if name in _SHAPING:
        told = data[1:] or [named[word] for word in ("shape", "newshape") if word in named]
        return _reshaped(dimensions.lengths(analysis, told, scope), _count(whole))
    if whole is None or name in members.CONVERSIONS:
        return whole
    if name in members.AXIS_ADDITIONS:
        place = axis if axis is not None or len(data) < 2 else data[1]
        where = dimensions.length(analysis, place, scope) if place is not None else None
        return _stacked(whole, 1, where)
    if name in members.FLATTENINGS and len(data) == 1 and not named:
        return (_count(whole),)
    if name in ("repeat", "tile") and len(data) > 1:
        how_often = dimensions.lengths(analysis, data[1:2], scope)
        is_flat = axis is None and name == "repeat" and len(data) == 2
        first, *rest = (_count(whole),) if is_flat else whole
        times = how_often[0] if how_often else None
        return (first * times, *rest) if first is not None and times is not None else None
    return None


def _count(whole: Sizes | None) -> int | None:
    """How many elements an array has."""
    known = [length for length in whole or () if length is not None]
    return math.prod(known) if whole is not None and len(known) == len(whole) else None


def _reshaped(lengths: Sizes | None, count: int | None) -> Sizes | None:
    """The shape that an array of `count` elements gets; -1 is what the others leave."""
    if lengths is None or -1 not in lengths:
        return lengths
    others = _count(tuple(length for length in lengths if length != -1))
    rest = count // others if count is not None and others else None
    return tuple(rest if length == -1 else length for length in lengths)


def _grid(analysis: Analysis, call: ast.Call, fact: Fact | None, scope: Scope) -> Sizes | None:
    """The shape of numbers in a row, or of the coordinates of a grid."""
    name, listed = last_name(call.func), call.args
    named = {given.arg: given.value for given in call.keywords if given.arg}
    if name in ("arange", "range"):
        return (dimensions.length(analysis, listed[0], scope) if len(listed) == 1 else None,)
    if name in ("geomspace", "linspace", "logspace"):
        count = listed[2] if len(listed) > 2 else named.get("num", named.get("steps"))
        return (_LINSPACE if count is None else dimensions.length(analysis, count, scope),)
    if name == "indices":
        sides = dimensions.lengths(analysis, listed[:1], scope)
        return (len(sides), *sides) if sides else None
    rows = [array_shapes.array_shape(analysis, argument, scope) for argument in listed]
    lengths = [row[0] for row in rows if row is not None and len(row) == 1]
    if not rows or len(lengths) < len(rows):
        return None
    order = dimensions.constant(analysis, named["indexing"], scope) if "indexing" in named else None
    usual = "ij" if fact is not None and fact.framework == "torch" else "xy"
    if (order or usual) == "xy":
        lengths[:2] = lengths[1::-1]
    return (len(rows), *lengths)


def _joined(
    analysis: Analysis, name: str, given: ast.expr, along: int | None, scope: Scope
) -> Sizes | None:
    """The shape of arrays that are joined: written side by side, or the parts of another."""
    if not isinstance(given, (ast.List, ast.Tuple)):
        whole = array_shapes.array_shape(analysis, given, scope) if name == "stack" else None
        return _stacked(whole[1:], whole[0], along) if whole else None
    parts = [array_shapes.array_shape(analysis, part, scope) for part in given.elts]
    first = parts[0] if parts else None
    if first is None:
        return None
    if name == "column_stack":
        return (first[0], len(parts) if len(first) == 1 else None)
    if name == "stack":
        return _stacked(first, len(parts), along)
    if name == "dstack":
        return (*first, len(parts)) if len(first) == 2 else None
    if name in ("vstack", "row_stack") and len(first) == 1:
        return (len(parts), *first)
    if name in _BELOW and along == 0:
        lengths = [part[0] if part else None for part in parts]
        return (_sum(lengths), *first[1:]) if None not in lengths else None
    return (first[0], None) if len(first) == 2 else None


def _sum(lengths: list[int | None]) -> int | None:
    known = [length for length in lengths if length is not None]
    return sum(known) if len(known) == len(lengths) else None


def _stacked(part: Sizes, count: int | None, along: int | None) -> Sizes | None:
    """The shape of `count` arrays of one shape, put side by side along a new axis."""
    if along is None or not -len(part) - 1 <= along <= len(part):
        return None
    place = along if along >= 0 else along + len(part) + 1
    return (*part[:place], count, *part[place:])
