"""The statement of a program's text that makes an array anew to add to it; asked after the run."""

from __future__ import annotations

import ast

from deepperf.dynamic.program.text import tree_of
from deepperf.dynamic.program.turns import is_carried, loops_around, names_in

JOINS = (
    "cat",
    "concat",
    "concatenate",
    "append",
    "vstack",
    "hstack",
    "dstack",
    "column_stack",
    "row_stack",
)


def grows_at(file: str, line: int) -> str:
    """The array that the statement at a line joins with more in each turn of its loop.

    "" where none is, or where the loop needs what is there so far: then it cannot wait.
    """
    around = loops_around(file, line)
    if not around or tree_of(file) is None:
        return ""
    inner = around[0]
    for statement in ast.walk(inner):
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        if not statement.lineno <= line <= (statement.end_lineno or line):
            continue
        name = ast.unparse(statement.targets[0])
        if _joins(statement.value, name) and is_carried(file, line, name):
            return "" if _is_read(inner, statement, name) else name
    return ""


def _joins(value: ast.expr, name: str) -> bool:
    """Whether a value is a call that joins an array, as it is, with others."""
    if not isinstance(value, ast.Call) or not value.args:
        return False
    function = value.func
    # A list's own method adds in place.
    if not isinstance(function, ast.Attribute) or function.attr not in JOINS:
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
