"""The line of a program's text that adds to a variable; asked after the run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.dynamic.program.text import Function, function_around, tree_of
from deepperf.dynamic.program.turns import is_carried, names_in
from deepperf.knowledge import members

LOOPS = (ast.For, ast.AsyncFor, ast.While)


def addition_to(file: str, function: str, name: str, line: int) -> int | None:
    """The line that adds to the container `name` of a function, "" for the module's own.

    That is the nearest to `line` where several do; None where none is seen. Of an attribute the
    object's own name may be another where it is added to: `self`.
    """
    tree = tree_of(file)
    if tree is None:
        return None
    within = [
        node for node in ast.walk(tree) if isinstance(node, Function) and node.name == function
    ]
    is_own = bool(within) and "." not in name
    found = {at for scope in within for at in _additions(scope, name)} if is_own else set()
    found = found or set(_additions(tree, name))
    return min(sorted(found), key=lambda at: abs(at - line), default=None)


def carried_at(file: str, name: str, line: int) -> int | None:
    """The line that makes a variable, `total`, `self.losses` or `seen['loss']`, of what it was
    before, or adds to it: in a loop of the function around `line`, or anywhere if it is an
    attribute; the last of several. None where none is seen.
    """
    tree = tree_of(file)
    if tree is None:
        return None
    base = name.partition("[")[0]
    scopes: list[ast.AST] = [tree]
    if "." not in base:
        scopes = [node for node in ast.walk(function_around(tree, line)) if isinstance(node, LOOPS)]
    statements = [
        node for scope in scopes for node in ast.walk(scope) if isinstance(node, ast.stmt)
    ]
    for one in (name, base):
        lines = [node.lineno for node in statements if _carries(file, node, one)]
        if lines:
            return max(lines)
    return None


def _additions(scope: ast.AST, name: str) -> Iterator[int]:
    for node in ast.walk(scope):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(t, ast.Subscript) and _is_of(t.value, name) for t in targets):
                yield node.lineno
        elif isinstance(node, (ast.Call, ast.AugAssign)) and _grows(node, name):
            yield node.lineno


def _grows(node: ast.AST, name: str) -> bool:
    """Whether a method or an operator adds to what it stands for."""
    if isinstance(node, ast.AugAssign):
        return _is_of(node.target, name)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in members.CONTAINER_ADDITIONS and _is_of(node.func.value, name)


def _carries(file: str, statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.Assign):
        return _grows(statement.value if isinstance(statement, ast.Expr) else statement, name)
    targets = [
        part
        for target in statement.targets
        for part in (target.elts if isinstance(target, ast.Tuple) else [target])
    ]
    if not any(_is_of(target, name) for target in targets):
        return False
    # What is only computed from it is no place to cut it off.
    is_made_of_it = any(_is_same(read, name) for read in names_in(statement.value))
    return is_made_of_it or is_carried(file, statement.lineno, name)


def _is_same(read: str, name: str) -> bool:
    """Whether two names may mean the same: an object's own name is another in its methods."""
    _, dot, attribute = name.rpartition(".")
    return read == name or (bool(dot) and read.endswith(dot + attribute))


def _is_of(node: ast.expr, name: str) -> bool:
    """Whether an expression is what a name stands for, or an element of it."""
    while isinstance(node, ast.Subscript):
        if ast.unparse(node) == name:
            return True
        node = node.value
    _, dot, attribute = name.rpartition(".")
    if isinstance(node, ast.Attribute):
        return bool(dot) and node.attr == attribute
    return not dot and isinstance(node, ast.Name) and node.id == name
