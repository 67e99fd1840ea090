"""What becomes of the results of a loop's iterations: whether all are kept, and each by itself."""

from __future__ import annotations

import ast

from deepperf.semantics.loops.statements import Standing
from deepperf.semantics.text import tree


def only_filters(results: list[Standing]) -> bool:
    """Whether elements are only kept or dropped, in each list by one test: there is no choice."""
    lists = {
        ast.unparse(one.node.value.func)
        for one in results
        if isinstance(one.node, ast.Expr) and isinstance(one.node.value, ast.Call) and one.tests
    }
    return len(lists) == len(results)


def is_overwritten(standing: Standing) -> bool:
    """Whether the iterations of the innermost loop all set one place: the last of them counts."""
    node, inner = standing.node, standing.loops[-1].node
    if not isinstance(node, ast.Assign) or not isinstance(inner, ast.For):
        return False
    outer = [loop.node.target for loop in standing.loops[:-1] if isinstance(loop.node, ast.For)]
    named: set[str] = set()
    place = node.targets[0]
    while isinstance(place, ast.Subscript):
        named |= tree.names_in(place.slice)
        place = place.value
    return bool(named) and named <= tree.names_in(*outer) - tree.names_in(inner.target)
