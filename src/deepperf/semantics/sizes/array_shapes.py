"""The shapes of arrays, as far as the text tells them: by what makes an array and changes it.

A length that is not known is None; so is the shape of an array whose axes are not counted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.sizes import call_shapes, item_shapes
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import FunctionTerm, Instance

if TYPE_CHECKING:
    from deepperf.semantics.sizes.dimensions import Sizes


def array_shape(analysis: Analysis, node: ast.expr, scope: Scope) -> Sizes | None:
    """The shape of the array that an expression holds, when the text tells its rank."""
    return analysis.remember(("array shape", node), lambda: _shape(analysis, node, scope), None)


def _shape(analysis: Analysis, node: ast.expr, scope: Scope) -> Sizes | None:
    if isinstance(node, ast.Name):
        shapes = {
            _defined_shape(analysis, definition)
            for definition in values.definitions_of(analysis, node, scope)[:4]
        }
        return shapes.pop() if len(shapes) == 1 else None
    if isinstance(node, ast.Call):
        return call_shapes.call_shape(analysis, node, scope)
    if isinstance(node, ast.BinOp):
        sides = [array_shape(analysis, side, scope) for side in (node.left, node.right)]
        return _product(*sides) if isinstance(node.op, ast.MatMult) else widest(sides)
    if isinstance(node, ast.Subscript):
        return item_shapes.item_shape(analysis, node, scope)
    if isinstance(node, ast.Attribute) and node.attr == "T":
        whole = array_shape(analysis, node.value, scope)
        return whole[::-1] if whole is not None else None
    return None


def widest(shapes: Iterable[Sizes | None]) -> Sizes | None:
    """The shape of what an elementwise operation gives for arrays of these shapes.

    An array of which nothing is known is taken for one that is spread over the others.
    """
    known = [shape for shape in shapes if shape is not None]
    return max(known, key=len) if known else None


def _product(left: Sizes | None, right: Sizes | None) -> Sizes | None:
    is_plain = left is not None and right is not None and min(len(left), len(right)) > 1
    return (*left[:-1], right[-1]) if is_plain and left and right else None


def _defined_shape(analysis: Analysis, definition: Definition) -> Sizes | None:
    if definition.binding is Binding.PARAMETER:
        with analysis.going_up() as may_go_up:
            passed = (
                callers.sizes_for(analysis, definition.scope, definition.name) if may_go_up else []
            )
            shapes = {array_shape(analysis, node, scope) for node, scope in passed[:4]}
        return shapes.pop() if len(shapes) == 1 else None
    if definition.value is None:
        return None
    if definition.binding is Binding.ITERATED:
        return _batch_shape(analysis, definition.value, definition.unpacking, definition.scope)
    if definition.binding is not Binding.ASSIGNED:
        return None
    return _unpacked_shape(analysis, definition.value, definition.unpacking, definition.scope)


def _batch_shape(
    analysis: Analysis, node: ast.expr, path: tuple[int, ...], scope: Scope
) -> Sizes | None:
    """The shape of one of the arrays that a loop over a loader of arrays gives."""
    made = _call_of(analysis, node, scope)
    if made is not None and made[2] == "builtins.enumerate" and path[:1] == (1,):
        made, path = _call_of(analysis, made[0].args[0], made[1]), path[1:]
    if made is None or made[2] != "torch.utils.data.DataLoader" or not made[0].args:
        return None
    arrays = _call_of(analysis, made[0].args[0], made[1])
    if arrays is None or arrays[2] != "torch.utils.data.TensorDataset" or len(path) != 1:
        return None
    call, at, _ = arrays
    whole = array_shape(analysis, call.args[path[0]], at) if path[0] < len(call.args) else None
    return (None, *whole[1:]) if whole else None


def _call_of(
    analysis: Analysis, node: ast.expr, scope: Scope
) -> tuple[ast.Call, Scope, str] | None:
    """The call of a library that made the one object that an expression holds."""
    held = values.evaluate(analysis, node, scope)
    if len(held) != 1 or not isinstance(held[0], Instance):
        return None
    site, at = held[0].site, held[0].scope
    if not isinstance(site, ast.Call):
        return None
    names = callgraph.external_names(values.evaluate(analysis, site.func, at))
    return (site, at, names[0]) if len(names) == 1 and names[0] else None


def _unpacked_shape(
    analysis: Analysis, node: ast.expr, path: tuple[int, ...], scope: Scope
) -> Sizes | None:
    if not path:
        return array_shape(analysis, node, scope)
    if isinstance(node, (ast.Tuple, ast.List)):
        is_there = path[0] < len(node.elts)
        inner = node.elts[path[0]] if is_there else None
        return _unpacked_shape(analysis, inner, path[1:], scope) if inner else None
    held = values.evaluate(analysis, node.func, scope) if isinstance(node, ast.Call) else ()
    if len(held) == 1 and isinstance(held[0], FunctionTerm):
        function = held[0].scope
        analysis.module_of(function)
        if len(function.returns) == 1:
            return _unpacked_shape(analysis, function.returns[0], path, function)
        return None
    if len(path) != 1:
        return None
    if isinstance(node, ast.Call) and splits(node):
        part = node.args[path[0] // 2] if path[0] // 2 < len(node.args) else None
        whole = array_shape(analysis, part, scope) if part is not None else None
        return (None, *whole[1:]) if whole else None
    # Each name gets one part of the first axis.
    whole = array_shape(analysis, node, scope)
    return whole[1:] if whole else None


def splits(call: ast.Call) -> bool:
    """Whether a call gives, for each argument, its part for training and the one for testing."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name == "train_test_split"
