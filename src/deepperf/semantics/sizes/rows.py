"""How many rows an array has: how long its first axis is, where the text tells."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.text import tree
from deepperf.semantics.values import filled, values
from deepperf.semantics.values.terms import Display, External, FunctionTerm, Literal

# Functions, and methods of arrays, whose name tells what they do, whatever the array is of.
_KEEPING = members.CONVERSIONS | {"cast"}


def rows(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many rows the array has at most; None where that is not known."""
    return analysis.remember(("rows", node), lambda: _rows(analysis, node, scope), None)


def input_rows(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many rows a model is given: its input may be an array, or several side by side."""
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Display) and isinstance(term.node, (ast.List, ast.Tuple, ast.Dict)):
            whole = term.node
            parts = whole.values if isinstance(whole, ast.Dict) else whole.elts
            if filled.is_filled(analysis, term):
                return None
            return _most(analysis, list(parts), term.scope)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [side for side in (node.left, node.right) if isinstance(side, ast.List)]
        if sides:  # inputs of one model, listed, have as many rows each
            inputs = [rows(analysis, part, scope) for side in sides for part in side.elts]
            return next((count for count in inputs if count is not None), None)
    return rows(analysis, node, scope)


def _rows(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    whole = array_shapes.array_shape(analysis, node, scope)
    if whole and whole[0] is not None:
        return _positive(whole[0])
    if isinstance(node, ast.Name):
        found = [
            _remembered(analysis, definition)
            for definition in values.definitions_of(analysis, node, scope)
        ]
        return _all(found)
    if isinstance(node, ast.Call):
        return _of_call(analysis, node, scope)
    if isinstance(node, ast.Subscript):
        return _of_part(analysis, node, scope)
    if isinstance(node, ast.BinOp):
        if isinstance(node.left, ast.List) or isinstance(node.right, ast.List):
            return _listed(analysis, node, scope)
        sides = [rows(analysis, side, scope) for side in (node.left, node.right)]
        return max((side for side in sides if side is not None), default=None)
    if isinstance(node, ast.IfExp):
        return _most(analysis, [node.body, node.orelse], scope)
    if isinstance(node, (ast.List, ast.Tuple)):
        plain = not any(isinstance(part, ast.Starred) for part in node.elts)
        return len(node.elts) if plain and node.elts else None
    return None


def _listed(analysis: Analysis, node: ast.BinOp, scope: Scope) -> int | None:
    """How long a list is that is written out and repeated, or put before or behind another."""
    sides = (node.left, node.right)
    if isinstance(node.op, ast.Add):
        lengths = [rows(analysis, side, scope) for side in sides]
        known = [length for length in lengths if length is not None]
        return sum(known) if len(known) == len(lengths) else None
    if not isinstance(node.op, ast.Mult):
        return None
    listed, times = sides if isinstance(node.left, ast.List) else sides[::-1]
    length, count = rows(analysis, listed, scope), number(analysis, times, scope)
    return None if length is None or count is None else length * count


def _most(analysis: Analysis, nodes: list[ast.expr], scope: Scope) -> int | None:
    return _all([rows(analysis, node, scope) for node in nodes])


def _all(found: list[int | None]) -> int | None:
    known = [count for count in found if count is not None]
    return max(known) if known and len(known) == len(found) else None


def _remembered(analysis: Analysis, definition: Definition) -> int | None:
    return analysis.remember(
        ("rows of", definition), lambda: _defined(analysis, definition), otherwise=None
    )


def _defined(analysis: Analysis, definition: Definition) -> int | None:
    if definition.binding is Binding.ASSIGNED and definition.value is not None:
        if definition.unpacking:
            return None
        display = definition.value
        if isinstance(display, (ast.List, ast.Tuple)):
            term = Display(display, definition.scope)
            if filled.is_filled(analysis, term):
                return None
        return rows(analysis, definition.value, definition.scope)
    if definition.binding is Binding.AUGMENTED and isinstance(definition.node, ast.AugAssign):
        flow = analysis.module_of(definition.scope).flow(definition.scope)
        before = flow.uses.get(id(definition.node), ())
        # What a loop augments reaches itself.
        return _all([_remembered(analysis, d) for d in before])
    if definition.binding is Binding.PARAMETER:
        given = callers.sizes_for(analysis, definition.scope, definition.name)
        return _all([rows(analysis, node, scope) for node, scope in given])
    return None


def _of_call(analysis: Analysis, node: ast.Call, scope: Scope) -> int | None:
    name = last_name(node.func)
    held = values.evaluate(analysis, node.func, scope)
    functions = [term.scope for term in held if isinstance(term, FunctionTerm)]
    targets = [target.function for target in callgraph.targets_of(analysis, held)]
    if functions or targets:
        returned = [(value, f) for f in targets or functions for value in f.returns]
        return _all([rows(analysis, value, f) for value, f in returned])
    # Of a module's function the first argument is the array, of a method its object.
    is_function = any(isinstance(term, External) for term in held)
    if is_function or name in members.BATCH_STEPS or not isinstance(node.func, ast.Attribute):
        array, rest = (node.args[0] if node.args else None), list(node.args[1:])
    else:
        array, rest = node.func.value, list(node.args)
    fact = callgraph.fact_of(analysis, held)
    if name in members.AXIS_ADDITIONS:
        axis = _axis(analysis, node, rest, scope)
        if axis == 0:
            return 1
        return rows(analysis, array, scope) if array is not None and axis is not None else None
    if name == "atleast_2d":
        return 1
    if array is not None and name == "stack":
        beside = _has_axis(node, rest) and _axis(analysis, node, rest, scope) != 0
        return _beside(analysis, array, scope) if beside else _stacked(array)
    if array is not None and name in members.ROW_JOINS:
        return _joined(analysis, array, scope)
    if name in members.PERMUTATIONS | members.AXIS_SWAPS and not _leaves_first(
        analysis, node, rest, scope
    ):
        return None
    known = members.BATCH_STEPS | _KEEPING | members.PERMUTATIONS | members.AXIS_SWAPS
    if array is not None and (name in known or _keeps_rows(fact)):
        return rows(analysis, array, scope)
    return None


def _leaves_first(analysis: Analysis, node: ast.Call, rest: list[ast.expr], scope: Scope) -> bool:
    """Whether the first axis stays the first where axes change their places.

    Two numbers are a swap, or the order of two axes: neither touches the first if it is not named.
    """
    given = rest or [k.value for k in node.keywords if k.arg in ("axes", "perm", "dims")]
    if len(given) == 1 and isinstance(given[0], (ast.List, ast.Tuple)):
        given = list(given[0].elts)
    axes = [number(analysis, axis, scope) for axis in given]
    if len(axes) == 2:
        return all(axis is not None and axis > 0 for axis in axes)
    return len(axes) > 2 and axes[0] == 0 and last_name(node.func) in members.PERMUTATIONS


def _parts(given: ast.expr) -> list[ast.expr]:
    """The arrays of a list that is written out; none where that may not be all."""
    parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else []
    return [] if any(isinstance(part, ast.Starred) for part in parts) else list(parts)


def _stacked(given: ast.expr) -> int | None:
    return len(_parts(given)) or None


def _beside(analysis: Analysis, given: ast.expr, scope: Scope) -> int | None:
    """The rows of arrays that are put side by side: each has as many."""
    found = (rows(analysis, part, scope) for part in _parts(given))
    return next((count for count in found if count is not None), None)


def _joined(analysis: Analysis, given: ast.expr, scope: Scope) -> int | None:
    """The rows of arrays that are written out side by side, put one below the other."""
    parts = [rows(analysis, part, scope) for part in _parts(given)]
    known = [count for count in parts if count is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _keeps_rows(fact: Fact | None) -> bool:
    return has(fact, Trait.ELEMENTWISE, Trait.CASTS, Trait.KEEPS_SHAPE)


def _has_axis(node: ast.Call, rest: list[ast.expr]) -> bool:
    return bool(rest) or any(k.arg in ("axis", "dim") for k in node.keywords)


def _axis(analysis: Analysis, node: ast.Call, rest: list[ast.expr], scope: Scope) -> int | None:
    given = [k.value for k in node.keywords if k.arg in ("axis", "dim")] or rest[:1]
    return number(analysis, given[0], scope) if given else None


def _positive(length: int | None) -> int | None:
    return length if length is not None and length > 0 else None


def number(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The one whole number that an expression holds."""
    held = values.evaluate(analysis, node, scope)
    if len(held) == 1 and isinstance(held[0], Literal):
        value = held[0].value
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _of_part(analysis: Analysis, node: ast.Subscript, scope: Scope) -> int | None:
    index = node.slice
    first = tree.first_of(index)
    if _is_new_axis(first):
        return 1
    if isinstance(first, ast.Slice):
        return _width(analysis, first, scope)
    if isinstance(first, ast.List):
        return len(first.elts) or None
    if isinstance(first, ast.Constant) and first.value is Ellipsis:
        return rows(analysis, node.value, scope)
    return None


def _is_new_axis(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None
    return last_name(node) == "newaxis"


def _width(analysis: Analysis, part: ast.Slice, scope: Scope) -> int | None:
    """How many entries a slice takes: of `[:k]`, `[-k:]` and `[i:i + k]`."""
    if part.step is not None:
        return None
    lower, upper = part.lower, part.upper
    if upper is None:
        start = number(analysis, lower, scope) if lower is not None else None
        return -start if start is not None and start < 0 else None
    end = number(analysis, upper, scope)
    start = 0 if lower is None else number(analysis, lower, scope)
    if end is not None and start is not None:
        return _positive(end - start) if (end > 0) == (start >= 0) else None
    if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add) and lower is not None:
        if ast.dump(upper.left) == ast.dump(lower):
            return _positive(number(analysis, upper.right, scope))
        if ast.dump(upper.right) == ast.dump(lower):
            return _positive(number(analysis, upper.left, scope))
    return None
