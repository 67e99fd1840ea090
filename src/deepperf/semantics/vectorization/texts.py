"""Words of texts that are split, which stand in lists: no operation on arrays takes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values


def picks_words(analysis: Analysis, loop: Frame) -> bool:
    """Whether turns compare or take words of a text that was split."""
    return any(
        isinstance(part, ast.Subscript) and _are_words(analysis, part.value, loop.scope)
        for part in tree.walk(loop.node)
    )


def _are_words(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    return any(_splits_text(made) for made in _made_by(analysis, node, scope))


def _made_by(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """What gives a list, or the list that a slice is cut from."""
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    if isinstance(node, ast.Name):
        for definition in values.definitions_of(analysis, node, scope):
            if definition.value is not None:
                yield definition.value
    else:
        yield node


def _splits_text(node: ast.expr) -> bool:
    """Whether it is `text.split()`: arrays are split into a number of parts, or at places."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in members.TEXT_SPLITS
        and all(isinstance(given, ast.Constant) and type(given.value) is str for given in node.args)
    )
