"""Whether a line's text broadcasts arrays against each other; asked after the run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from deepperf.dynamic.program.text import function_around, tree_of
from deepperf.semantics.text import tree

ADDS_AXIS = ("expand_dims", "unsqueeze", "tile", "repeat", "broadcast_to", "meshgrid", "expand")
COMBINES = (
    "subtract",
    "add",
    "multiply",
    "divide",
    "squared_difference",
    "maximum",
    "minimum",
    "equal",
    "power",
    "sub",
    "mul",
)
REDUCES = re.compile(
    r"^(?:reduce_)?(?:sum|mean|max|min|prod|any|all|argmin|argmax|norm|logsumexp|std|var|median)$"
    r"|^(?:euclidean_norm|count_nonzero|amin|amax|nansum|nanmin|nanmax|nanmean|top_k|topk)$"
)
"""What the functions are called of which an axis less is left."""
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
        if isinstance(statement, SIMPLE)
        and statement.lineno <= line <= (statement.end_lineno or statement.lineno)
        for operand in _operands(statement)
    )


def is_reduced_after(file: str, line: int) -> bool:
    """Whether what the statement at a line makes gets a name, and all that later statements of its
    function do with it ends in reductions."""
    module = tree_of(file)
    if module is None:
        return False
    scope = function_around(module, line)
    at = [one for one in _assignments(scope) if one.lineno <= line <= (one.end_lineno or line)]
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
    if isinstance(statement, ast.Call) and REDUCES.match(_name_of(statement.func)):
        return True
    return all(_is_reduced_in(part, name) for part in ast.iter_child_nodes(statement))


def _operands(statement: ast.stmt) -> Iterator[ast.expr]:
    """What is combined element by element in a statement."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            yield from (node.left, node.right)
        elif isinstance(node, ast.Compare):
            yield from (node.left, *node.comparators)
        elif isinstance(node, ast.Call) and _name_of(node.func) in COMBINES:
            yield from node.args


def _has_new_axis(value: ast.expr, scope: ast.AST, line: int) -> bool:
    if isinstance(value, ast.Name):
        value = _last_value(scope, value.id, line) or value
    if isinstance(value, ast.Call):
        return _name_of(value.func) in ADDS_AXIS
    if not isinstance(value, ast.Subscript):
        return False
    return any(_is_new(part) for part in tree.indices_of(value))


def _is_new(part: ast.expr) -> bool:
    is_none = isinstance(part, ast.Constant) and part.value is None
    return is_none or _name_of(part) == "newaxis"


def _name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _last_value(scope: ast.AST, name: str, line: int) -> ast.expr | None:
    found: ast.Assign | None = None
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and node.lineno < line:
            is_named = any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
            if is_named and (found is None or node.lineno > found.lineno):
                found = node
    return None if found is None else found.value
