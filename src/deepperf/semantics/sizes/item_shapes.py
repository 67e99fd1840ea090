"""The shapes of parts of arrays, and of the grids that NumPy makes by an index alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.sizes import array_shapes, dimensions

if TYPE_CHECKING:
    from deepperf.semantics.sizes.dimensions import Sizes


def item_shape(analysis: Analysis, node: ast.Subscript, scope: Scope) -> Sizes | None:
    """The shape of `x[…]`."""
    index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if last_name(node.value) in ("mgrid", "ogrid"):
        lengths = tuple(_span(analysis, axis, scope) for axis in index)
        return (len(lengths), *lengths) if last_name(node.value) == "mgrid" else None
    if last_name(node.value) == "c_":
        first = array_shapes.array_shape(analysis, index[0], scope)
        return (first[0], len(index)) if first is not None and len(first) == 1 else None
    whole = array_shapes.array_shape(analysis, node.value, scope)
    if whole is not None:
        return _part(analysis, whole, index, scope)
    # Of an array of which nothing is known, places pick rows.
    places = array_shapes.array_shape(analysis, node.slice, scope)
    return (*places, None) if places is not None else None


def _part(analysis: Analysis, whole: Sizes, index: list[ast.expr], scope: Scope) -> Sizes | None:
    """The shape of the part that an index takes, axis by axis, from the left to an ellipsis."""
    rest, front, back = list(whole), list[int | None](), list[int | None]()
    after_ellipsis = False
    for axis in index:
        if isinstance(axis, ast.Constant) and axis.value is Ellipsis:
            after_ellipsis = True
        elif _is_new_axis(axis):
            (back if after_ellipsis else front).append(1)
        elif after_ellipsis or not rest:
            return None
        elif isinstance(axis, ast.Slice):
            taken = rest.pop(0)
            front.append(taken if axis.lower is None and axis.upper is None else None)
        elif dimensions.length(analysis, axis, scope) is not None:
            rest.pop(0)
        else:
            picked = array_shapes.array_shape(analysis, axis, scope)
            if picked is None or len(index) > 1:
                return None
            rest.pop(0)
            front.extend(picked)
    return (*front, *rest, *back)


def _is_new_axis(axis: ast.expr) -> bool:
    is_none = isinstance(axis, ast.Constant) and axis.value is None
    return is_none or last_name(axis) == "newaxis"


def _span(analysis: Analysis, axis: ast.expr, scope: Scope) -> int | None:
    if not isinstance(axis, ast.Slice) or axis.upper is None or axis.step is not None:
        return None
    end = dimensions.length(analysis, axis.upper, scope)
    start = 0 if axis.lower is None else dimensions.length(analysis, axis.lower, scope)
    return end - start if end is not None and start is not None else None
