"""How many elements are left at most of what is cut short: by a slice, `islice`, `head`, `take`."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Literal

_FARTHEST = 3


def most_left(
    analysis: Analysis, node: ast.expr, scope: Scope, farthest: int = _FARTHEST
) -> int | None:
    """The number that the text cuts something down to; None where it does not."""
    if isinstance(node, ast.Subscript):
        index = tree.first_of(node.slice)
        return _of_slice(analysis, index, scope) if isinstance(index, ast.Slice) else None
    if isinstance(node, ast.Call):
        return _of_call(analysis, node, scope, farthest)
    if isinstance(node, ast.Name) and farthest:
        definitions = values.definitions_of(analysis, node, scope)
        made = definitions[0] if len(definitions) == 1 else None
        if made is None or made.binding is not Binding.ASSIGNED or made.unpacking:
            return None
        if isinstance(made.value, (ast.Subscript, ast.Call)):
            return most_left(analysis, made.value, made.scope, farthest - 1)
    return None


def _of_slice(analysis: Analysis, cut: ast.Slice, scope: Scope) -> int | None:
    start = 0 if cut.lower is None else _number(analysis, cut.lower, scope)
    if start is None:
        return None
    if cut.upper is None:
        return -start if start < 0 else None
    stop = _number(analysis, cut.upper, scope)
    if stop is None or (start < 0) != (stop < 0):
        return None
    return max(stop - start, 0)


def _of_call(analysis: Analysis, node: ast.Call, scope: Scope, farthest: int) -> int | None:
    function = node.func
    if isinstance(function, ast.Attribute) and farthest:
        if function.attr in members.CUTS and len(node.args) == 1:
            most = _number(analysis, node.args[0], scope)
            # Of a data set -1 takes all, and of a frame all but the last.
            return most if most is not None and most >= 0 else None
        if function.attr in members.ROW_LISTINGS:
            return most_left(analysis, function.value, scope, farthest - 1)
    if len(node.args) == 2:
        names = callgraph.external_names(values.evaluate(analysis, function, scope))
        if names == ("itertools.islice",):
            return _number(analysis, node.args[1], scope)
    return None


def _number(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    held = values.evaluate(analysis, node, scope)
    found = held[0].value if len(held) == 1 and isinstance(held[0], Literal) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None
