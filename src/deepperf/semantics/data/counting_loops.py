"""Which loops and comprehensions do nothing but count their iterations, by their text alone."""

from __future__ import annotations

import ast

from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree


def only_counts(node: ast.For | ast.While, scope: Scope) -> bool:
    """Whether the iterations add constants to counters, and nothing read in them is used."""
    body = _plain(node.body)
    read = tree.names_in(node.target) if isinstance(node, ast.For) else set()
    for statement in body:
        if isinstance(statement, ast.Assign) and _only_names(statement.targets):
            read |= tree.names_in(*statement.targets)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            read.add(statement.target.id)
    counting = counters(node)
    read -= counting
    if not counting or not all(_is_idle(statement, read) for statement in body):
        return False
    return not any(
        isinstance(part, ast.Name)
        and part.id in read
        and isinstance(part.ctx, ast.Load)
        and part.lineno > (node.end_lineno or 0)
        for part in tree.walk(scope.node)
    )


def counters(node: ast.For | ast.While) -> set[str]:
    """The names that count the iterations: what a constant is added to, and what
    `enumerate` gives.
    """
    counted = (counter(statement) for statement in _plain(node.body))
    return _positions(node) | {name for name in counted if name is not None}


def shows(node: ast.For | ast.While, names: set[str]) -> bool:
    """Whether turns print one of these names, or hand it to a message otherwise."""
    return any(
        isinstance(part, ast.Expr)
        and isinstance(part.value, ast.Call)
        and not tree.names_in(*tree.arguments(part.value)).isdisjoint(names)
        for part in tree.walk(node)
    )


def _positions(node: ast.For | ast.While) -> set[str]:
    """The name that `enumerate` counts the iterations with."""
    if (
        isinstance(node, ast.For)
        and isinstance(node.iter, ast.Call)
        and getattr(node.iter.func, "id", "") == "enumerate"
        and isinstance(node.target, ast.Tuple)
    ):
        return tree.names_in(tree.first_of(node.target))
    return set()


def _plain(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a body, with those of its `try` among them."""
    found: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Try):
            found += _plain([*statement.body, *statement.orelse])
        else:
            found.append(statement)
    return found


def counter(statement: ast.stmt) -> str | None:
    """The name to which a statement adds a constant."""
    if isinstance(statement, ast.AugAssign):
        is_sum = isinstance(statement.op, ast.Add) and isinstance(statement.value, ast.Constant)
        return getattr(statement.target, "id", None) if is_sum else None
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp):
        name = getattr(statement.targets[0], "id", None)
        left, right = statement.value.left, statement.value.right
        if isinstance(statement.value.op, ast.Add) and isinstance(right, ast.Constant):
            return name if getattr(left, "id", None) == name else None
    return None


def _is_idle(statement: ast.stmt, read: set[str]) -> bool:
    """Whether a statement of the body leaves nothing behind but counters and unused names."""
    if counter(statement) is not None or isinstance(statement, (ast.Pass, ast.Continue)):
        return True
    if isinstance(statement, ast.Assign):
        return _only_names(statement.targets)
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Name)
    if isinstance(statement, ast.If):
        # Progress: a line now and then.
        return not tree.names_in(statement.test) & read and all(
            _is_message(inner, read) for inner in [*statement.body, *statement.orelse]
        )
    if isinstance(statement, ast.Expr):
        return _is_message(statement, read) or _is_on_read(statement.value, read)
    return False


def _is_message(statement: ast.stmt, read: set[str]) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and not tree.names_in(statement.value) & read
    )


def _is_on_read(node: ast.expr, read: set[str]) -> bool:
    """Whether it is a method of something made in the iteration, as in
    `example.ParseFromString`.
    """
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in read
    )


def _only_names(targets: list[ast.expr]) -> bool:
    return all(
        isinstance(part, (ast.Name, ast.Tuple, ast.List, ast.expr_context))
        for target in targets
        for part in tree.walk(target)
    )


def call_around(node: ast.GeneratorExp | ast.ListComp, scope: Scope) -> ast.Call | None:
    """The call that counts what a comprehension gives: `sum(1 for …)` or `len([… for x in …])`."""
    generator = node.generators[0]
    if len(node.generators) > 1 or generator.ifs:
        return None
    for site in scope.calls:
        call = site.node
        if len(call.args) >= 1 and call.args[0] is node and isinstance(call.func, ast.Name):
            is_sum = call.func.id == "sum" and isinstance(node.elt, ast.Constant)
            is_length = call.func.id == "len" and isinstance(node, ast.ListComp)
            return call if is_sum or is_length else None
    return None
