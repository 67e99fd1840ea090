"""The statement of a program's text that makes an array anew to add to it; asked after the run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.dynamic.program.text import function_around, spans, tree_of
from deepperf.dynamic.program.turns import in_loop, is_carried, loops_around, names_in
from deepperf.knowledge import members
from deepperf.semantics.names.scopes import last_name

OUTWARDS = 2
"""Functions between a loop and one that it calls through them."""


def grows_at(file: str, line: int) -> str:
    """The array that the statement at a line joins with more in each turn of its loop.

    "" where none is, or where the loop needs what is there so far: then it cannot wait.
    """
    tree = tree_of(file)
    if tree is None:
        return ""
    around = loops_around(file, line)
    if not around:
        return _grown_by_calls(tree, file, line)
    for statement, name in _joining(around[0], line):
        if is_carried(file, line, name):
            return "" if _is_read(around[0], statement, name) else name
    return ""


def _grown_by_calls(tree: ast.Module, file: str, line: int) -> str:
    """The attribute that a function, called in a loop, joins with more at a line."""
    function = function_around(tree, line)
    for statement, name in _joining(function, line):
        if "." in name and _is_called_in_loop(tree, file, function, OUTWARDS):
            return "" if _is_read(function, statement, name) else name
    return ""


def _is_called_in_loop(tree: ast.Module, file: str, function: ast.AST, outwards: int) -> bool:
    """Whether the file calls a function of this name in a loop, or from one that it so calls."""
    name = getattr(function, "name", "")
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    lines = {call.lineno for call in calls if name and last_name(call.func) == name}
    if any(in_loop(file, line) for line in lines):
        return True
    outer = [function_around(tree, line) for line in lines] if outwards else []
    return any(
        _is_called_in_loop(tree, file, one, outwards - 1) for one in outer if one is not function
    )


def _joining(within: ast.AST, line: int) -> Iterator[tuple[ast.Assign, str]]:
    """The statement at a line, where it joins what has a name with more, and the name."""
    for statement in ast.walk(within):
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        name = ast.unparse(statement.targets[0])
        is_there = spans(statement, line)
        if is_there and _joins(statement.value, name):
            yield statement, name


def _joins(value: ast.expr, name: str) -> bool:
    """Whether a value is a call that joins an array, as it is, with others."""
    if not isinstance(value, ast.Call) or not value.args:
        return False
    function = value.func
    # A list's own method adds in place.
    if not isinstance(function, ast.Attribute) or function.attr not in members.JOINS:
        return False
    given = value.args[0]
    parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else value.args[:1]
    return any(ast.unparse(part) == name for part in parts)


def _is_read(loop: ast.AST, but: ast.stmt, name: str) -> bool:
    """Whether something else in a loop reads what is gathered; its length may be counted."""
    inside = set(map(id, ast.walk(but)))
    measured = {
        id(part)
        for node in ast.walk(loop)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
        for part in ast.walk(node)
    }
    return any(
        name in names_in(node)
        for node in ast.walk(loop)
        if isinstance(node, (ast.Name, ast.Attribute))
        and id(node) not in inside
        and id(node) not in measured
    )
