"""Loops that have to turn for what each turn takes from the one before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import Frame
from deepperf.semantics.text import tree


def carries_beside(node: ast.AST, loop: Frame) -> bool:
    """Whether another statement of a loop sets a place by the one before: `r[t] = r[t - 1] + …`."""
    turning = loops.targets(loop)
    return any(
        isinstance(inner, ast.Subscript)
        and tree.dotted(tree.container_of(inner)) == container
        and any(_is_neighbour(index, turning) for index in tree.indices_of(inner))
        for statement in tree.walk(loop.node)
        if isinstance(statement, (ast.Assign, ast.AugAssign)) and statement is not node
        for container in _containers(statement)
        for inner in tree.walk(statement.value)
    )


def _containers(statement: ast.Assign | ast.AugAssign) -> Iterator[str]:
    """The arrays of which a statement sets a place."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        if isinstance(target, ast.Subscript):
            yield tree.dotted(tree.container_of(target))


def _is_neighbour(index: ast.expr, turning: set[str]) -> bool:
    return (
        isinstance(index, ast.BinOp)
        and isinstance(index.op, (ast.Add, ast.Sub))
        and isinstance(index.right, ast.Constant)
        and getattr(index.left, "id", None) in turning
    )
