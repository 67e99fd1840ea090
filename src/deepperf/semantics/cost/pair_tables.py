"""Tables of pairs: what is computed of each two of two arrays' elements, by broadcasting."""

from __future__ import annotations

import ast

from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.text import tree

_COMPARING = (ast.Sub, ast.Add)


def goes_over_pairs(site: CallSite) -> bool:
    """Whether a call works on a table of pairs that it writes out: `a[:, None] - b[None]`."""
    return any(
        isinstance(part, ast.BinOp)
        and isinstance(part.op, _COMPARING)
        and (left := _new_axes(part.left)) != (right := _new_axes(part.right))
        and bool(left)
        and bool(right)
        for part in tree.walk(site.node)
    )


def _new_axes(node: ast.expr) -> frozenset[int]:
    """The places at which an item asks for axes of length one."""
    if not isinstance(node, ast.Subscript):
        return frozenset()
    index = node.slice
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return frozenset(
        place
        for place, part in enumerate(parts)
        if (isinstance(part, ast.Constant) and part.value is None)
        or (isinstance(part, ast.Attribute) and part.attr == "newaxis")
    )
