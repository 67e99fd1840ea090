"""The line of a program's text that adds to a container; asked after the run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.dynamic.program.text import tree_of

ADDS = ("append", "extend", "add", "insert", "appendleft", "setdefault", "update", "put")


def addition_to(file: str, function: str, name: str, line: int) -> int | None:
    """The line that adds to the container `name` of a function, "" for the module's own.

    That is the nearest to `line` where several do; None where none is seen. Of an attribute the
    object's own name may be another where it is added to: `self`.
    """
    tree = tree_of(file)
    if tree is None:
        return None
    within = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function
    ]
    is_own = bool(within) and "." not in name
    lines = sorted({at for scope in within for at in _additions(scope, name)} if is_own else ())
    lines = lines or sorted(set(_additions(tree, name)))
    return min(lines, key=lambda at: abs(at - line), default=None)


def _additions(scope: ast.AST, name: str) -> Iterator[int]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ADDS and _is_named(node.func.value, name):
                yield node.lineno
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(t, ast.Subscript) and _is_named(t.value, name) for t in targets):
                yield node.lineno
        elif isinstance(node, ast.AugAssign) and _is_named(node.target, name):
            yield node.lineno


def _is_named(node: ast.expr, name: str) -> bool:
    """Whether an expression is the container, or an element of it."""
    while isinstance(node, ast.Subscript):
        node = node.value
    _, dot, attribute = name.rpartition(".")
    if isinstance(node, ast.Attribute):
        return bool(dot) and node.attr == attribute
    return not dot and isinstance(node, ast.Name) and node.id == name
