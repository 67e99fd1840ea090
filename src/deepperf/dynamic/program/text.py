"""The text of the program that ran, as a tree: asked during the run, and after it."""

from __future__ import annotations

import ast
import functools
from pathlib import Path


@functools.lru_cache(maxsize=64)
def tree_of(file: str) -> ast.Module | None:
    """The tree of a file; None where it cannot be read or parsed."""
    try:
        return ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None


def function_around(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function that a line stands in; the module where it stands in none."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(around, key=lambda node: node.lineno, default=tree)
