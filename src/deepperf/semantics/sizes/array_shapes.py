"""The shapes of arrays, as far as the text tells them: by what makes an array and changes it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from deepperf.knowledge import members
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.sizes import dimensions
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import FunctionTerm, Instance

if TYPE_CHECKING:
    from deepperf.semantics.sizes.dimensions import Sizes

# What is called with the shape as an argument, and where; -1 stands for all arguments.
_FILLED = {
    **dict.fromkeys(("numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full"), ("shape", 0)),
    **dict.fromkeys(("numpy.random.random", "numpy.random.random_sample"), ("size", 0)),
    **dict.fromkeys(("numpy.random.rand", "numpy.random.randn"), ("", -1)),
    **dict.fromkeys(("numpy.random.normal", "numpy.random.uniform"), ("size", 2)),
    **dict.fromkeys(("numpy.random.randint", "numpy.random.Generator.integers"), ("size", 2)),
    "numpy.random.standard_normal": ("size", 0),
    "numpy.random.Generator.random": ("size", 0),
    "numpy.random.Generator.standard_normal": ("size", 0),
    "numpy.random.Generator.normal": ("size", 2),
    "numpy.random.Generator.uniform": ("size", 2),
    **dict.fromkeys(("tensorflow.zeros", "tensorflow.ones"), ("shape", 0)),
    **dict.fromkeys(("tensorflow.random.normal", "tensorflow.random.uniform"), ("shape", 0)),
    **dict.fromkeys(("torch.zeros", "torch.ones", "torch.empty"), ("size", -1)),
    **dict.fromkeys(("torch.rand", "torch.randn"), ("size", -1)),
}
_OF_ARGUMENT = frozenset(
    [
        "numpy.array",
        "numpy.asarray",
        "numpy.ascontiguousarray",
        "numpy.float32",
        "numpy.float16",
        "torch.as_tensor",
        "torch.from_numpy",
        "torch.tensor",
        "tensorflow.constant",
        "tensorflow.convert_to_tensor",
        "tensorflow.cast",
        "tensorflow.Variable",
        "keras.backend.constant",
        "keras.backend.variable",
    ]
)


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
        return _made_shape(analysis, node, scope)
    if isinstance(node, ast.BinOp):
        left = array_shape(analysis, node.left, scope)
        right = array_shape(analysis, node.right, scope)
        if left is None or right is None:
            return left or right
        return left if len(left) >= len(right) else right
    if isinstance(node, ast.Subscript):
        return _item_shape(array_shape(analysis, node.value, scope), node.slice)
    return None


def _defined_shape(analysis: Analysis, definition: Definition) -> Sizes | None:
    if definition.binding is Binding.PARAMETER:
        with analysis.going_up() as may_go_up:
            passed = (
                callers.arguments_for(analysis, definition.scope, definition.name)
                if may_go_up
                else []
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
    if isinstance(node, (ast.Tuple, ast.List)) and path[0] < len(node.elts):
        return _unpacked_shape(analysis, node.elts[path[0]], path[1:], scope)
    if not isinstance(node, ast.Call):
        return None
    held = values.evaluate(analysis, node.func, scope)
    if len(held) != 1:
        return None
    if isinstance(held[0], FunctionTerm):
        function = held[0].scope
        analysis.module_of(function)
        if len(function.returns) == 1:
            return _unpacked_shape(analysis, function.returns[0], path, function)
    elif splits(node) and len(path) == 1 and path[0] // 2 < len(node.args):
        whole = array_shape(analysis, node.args[path[0] // 2], scope)
        return (None, *whole[1:]) if whole else None
    return None


def splits(call: ast.Call) -> bool:
    """Whether a call gives, for each argument, its part for training and the one for testing."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name == "train_test_split"


def _made_shape(analysis: Analysis, call: ast.Call, scope: Scope) -> Sizes | None:
    names = set(callgraph.external_names(values.evaluate(analysis, call.func, scope)))
    name = names.pop() if len(names) == 1 else ""
    if name in _FILLED:
        keyword, position = _FILLED[name]
        return _shape_argument(analysis, call, keyword, position, scope)
    if name in _OF_ARGUMENT and call.args:
        return array_shape(analysis, call.args[0], scope)
    if name in ("numpy.reshape", "torch.reshape", "tensorflow.reshape") and len(call.args) > 1:
        return _open(dimensions.numbers(analysis, call.args[1], scope))
    if name in ("numpy.expand_dims", "tensorflow.expand_dims") and call.args:
        whole = array_shape(analysis, call.args[0], scope)
        axis = tree.argument(call, 1, "axis")
        place = dimensions.constant(analysis, axis, scope) if axis is not None else None
        if whole is None or not isinstance(place, int):
            return None
        place = place if place >= 0 else len(whole) + 1 + place
        return (*whole[:place], 1, *whole[place:])
    if not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr in members.CONVERSIONS:
        return array_shape(analysis, call.func.value, scope)
    if call.func.attr in ("reshape", "view"):
        return _open(_shape_argument(analysis, call, "shape", -1, scope))
    return None


def _open(sizes: Sizes | None) -> Sizes | None:
    """The sizes, where -1 is a size that follows from the others."""
    return None if sizes is None else tuple(None if size == -1 else size for size in sizes)


def _shape_argument(
    analysis: Analysis, call: ast.Call, keyword: str, position: int, scope: Scope
) -> Sizes | None:
    for given in call.keywords:
        if given.arg == keyword and keyword:
            return dimensions.numbers(analysis, given.value, scope)
    if position >= 0:
        if position >= len(call.args):
            return None
        sizes = dimensions.numbers(analysis, call.args[position], scope)
        if (
            sizes is None
            and (single := dimensions.number(analysis, call.args[position], scope)) is not None
        ):
            return (single,)
        return sizes
    if len(call.args) == 1:
        sizes = dimensions.numbers(analysis, call.args[0], scope)
        if sizes is not None:
            return sizes
    found: list[int | None] = []
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            inner = dimensions.numbers(analysis, argument.value, scope)
            if inner is None:
                return None
            found.extend(inner)
        else:
            found.append(dimensions.number(analysis, argument, scope))
    return tuple(found)


def _item_shape(whole: Sizes | None, index: ast.expr) -> Sizes | None:
    if whole is None:
        return None
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    front: list[int | None] = []
    back: list[int | None] = []
    rest = list(whole)
    seen_ellipsis = False
    for part in parts:
        target = back if seen_ellipsis else front
        if isinstance(part, ast.Constant) and part.value is Ellipsis:
            seen_ellipsis = True
        elif (isinstance(part, ast.Constant) and part.value is None) or (
            isinstance(part, ast.Attribute) and part.attr == "newaxis"
        ):
            target.append(1)
        elif isinstance(part, ast.Slice) and not seen_ellipsis and rest:
            taken = rest.pop(0)
            whole_axis = part.lower is None and part.upper is None
            front.append(taken if whole_axis else None)
        else:
            return None
    return (*front, *rest, *back)
