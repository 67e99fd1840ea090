"""Whether a line's text broadcasts arrays against each other; asked after the run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.dynamic.program.text import function_around, last_value, spans, tree_of
from deepperf.knowledge import members
from deepperf.semantics.names.scopes import last_name
from deepperf.semantics.text import tree

HOPS = 4
"""Statements between a broadcast and the reduction: a difference, a square, a weight, a root."""
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)


def broadcasts_at(file: str, line: int) -> bool:
    """Whether the statement at a line combines arrays of which one was given an axis for that."""
    module = tree_of(file)
    if module is None:
        return False
    scope = function_around(module, line)
    return any(
        _has_new_axis(operand, scope, line)
        for statement in ast.walk(scope)
        if isinstance(statement, SIMPLE) and spans(statement, line)
        for operand in _operands(statement)
    )


def is_reduced_after(file: str, line: int) -> bool:
    """Whether what the statement at a line makes gets a name, and all that later statements of its
    function do with it ends in reductions."""
    module = tree_of(file)
    if module is None:
        return False
    scope = function_around(module, line)
    at = [one for one in _assignments(scope) if spans(one, line)]
    return len(at) == 1 and _ends_reduced(scope, at[0], HOPS)


def _assignments(scope: ast.AST) -> list[ast.Assign]:
    return [node for node in ast.walk(scope) if isinstance(node, ast.Assign)]


def _ends_reduced(scope: ast.AST, made: ast.Assign, hops: int) -> bool:
    target = made.targets[0]
    if not isinstance(target, ast.Name) or not hops:
        return False
    users = [
        node
        for node in ast.walk(scope)
        if isinstance(node, SIMPLE) and node.lineno > made.lineno and _reads(node, target.id)
    ]
    return bool(users) and all(
        _is_reduced_in(user, target.id)
        or (isinstance(user, ast.Assign) and _ends_reduced(scope, user, hops - 1))
        for user in users
    )


def _reads(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
        for part in ast.walk(node)
    )


def _is_reduced_in(statement: ast.AST, name: str) -> bool:
    """Whether each use of a name in a statement is within a reduction."""
    if isinstance(statement, ast.Name):
        return not (statement.id == name and isinstance(statement.ctx, ast.Load))
    if isinstance(statement, ast.Call) and last_name(statement.func) in members.REDUCTIONS:
        return True
    return all(_is_reduced_in(part, name) for part in ast.iter_child_nodes(statement))


def _operands(statement: ast.stmt) -> Iterator[ast.expr]:
    """What is combined element by element in a statement."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            yield from (node.left, node.right)
        elif isinstance(node, ast.Compare):
            yield from (node.left, *node.comparators)
        elif isinstance(node, ast.Call) and last_name(node.func) in members.COMBINATIONS:
            yield from node.args


def _has_new_axis(value: ast.expr, scope: ast.AST, line: int) -> bool:
    if isinstance(value, ast.Name):
        value = last_value(scope, value.id, line) or value
    if isinstance(value, ast.Call):
        return last_name(value.func) in members.AXIS_ADDITIONS | members.REPETITIONS
    if not isinstance(value, ast.Subscript):
        return False
    return any(_is_new(part) for part in tree.indices_of(value))


def _is_new(part: ast.expr) -> bool:
    is_none = isinstance(part, ast.Constant) and part.value is None
    return is_none or last_name(part) == "newaxis"
