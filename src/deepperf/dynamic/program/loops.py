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
    is_statement = isinstance(node, (ast.For, ast.AsyncFor, ast.While))
    return is_statement or hasattr(node, "generators") or _maps(node)


def _maps(node: ast.AST) -> bool:
    """Whether it is `map(function, rows)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id == "map" and len(node.args) > 1


def loop_around(file: str, line: int) -> tuple[int, int] | None:
    """The first and the last line of the innermost loop that a line stands in, header included.

    None where it stands in none, or the file cannot be read.
    """
    return next(iter(loops_at(file, line)), None)


def loops_at(file: str, line: int) -> list[tuple[int, int]]:
    """The same of all loops around it, the innermost first."""
    around = [loop for loop in _loops(file) if loop[0] <= line <= loop[1]]
    return sorted(around, key=lambda loop: (loop[1] - loop[0], -loop[0]))


def is_mapped_at(file: str, line: int) -> bool:
    """Whether the loop that begins at a line is a call of `map`."""
    tree = tree_of(file)
    nodes = () if tree is None else ast.walk(tree)
    found = [node for node in nodes if getattr(node, "lineno", 0) == line]
    return any(map(_maps, found)) and not any(_is_loop(node) and not _maps(node) for node in found)


def is_header(file: str, line: int) -> bool:
    """Whether a loop's elements are asked for at a line, and nothing of its body runs there."""
    tree = tree_of(file)
    return any(
        isinstance(node, (ast.For, ast.AsyncFor)) and node.lineno == line < node.body[0].lineno
        for node in (() if tree is None else ast.walk(tree))
    )
