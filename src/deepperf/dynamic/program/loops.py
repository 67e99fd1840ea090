"""Which loop of a file's text a line stands in; asked after the run."""

from __future__ import annotations

import ast
import functools

from deepperf.dynamic.program.text import tree_of


@functools.lru_cache(maxsize=64)
def _loops(file: str) -> tuple[tuple[int, int], ...]:
    tree = tree_of(file)
    if tree is None:
        return ()
    return tuple(
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, (ast.stmt, ast.expr)) and _is_loop(node)
    )


def _is_loop(node: ast.AST) -> bool:
    return isinstance(node, (ast.For, ast.AsyncFor, ast.While)) or hasattr(node, "generators")


def loop_around(file: str, line: int) -> tuple[int, int] | None:
    """The first and the last line of the innermost loop that a line stands in, header included.

    None where it stands in none, or the file cannot be read.
    """
    around = [loop for loop in _loops(file) if loop[0] <= line <= loop[1]]
    return min(around, key=lambda loop: (loop[1] - loop[0], -loop[0]), default=None)
