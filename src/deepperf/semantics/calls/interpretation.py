"""The statements of a function, run on what values are instead of on the values.

A kind says of a value what a question needs to know: whether it is of an element, say. What
the kinds are, and what each expression gives, a judge says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NoReturn, Protocol, TypeVar

from deepperf.semantics.names.scopes import Scope

K = TypeVar("K")
DEEPEST = 6
"""Calls of functions of the project within each other up to which they are followed."""


class Judge(Protocol[K]):
    """What the parts of one function's statements give; each may raise to end the walk."""

    def expression(self, node: ast.expr, names: dict[str, K]) -> K:
        """What an expression gives."""

    def updated(self, node: ast.AugAssign, names: dict[str, K]) -> K:
        """What an augmented assignment binds its target to."""

    def bind(self, target: ast.expr, held: K, names: dict[str, K]) -> None:
        """Bind a target of an assignment or a loop."""

    def element_of(self, iterable: ast.expr, names: dict[str, K]) -> K:
        """What the target of a loop is bound to."""

    def rests_on_data(self, test: ast.expr, names: dict[str, K]) -> bool:
        """Whether a condition may hold for one element and not for another."""

    def outcome(self, test: ast.expr, names: dict[str, K]) -> bool | None:
        """What a condition is known to be in each call; None where it may be either."""

    def either(self, first: K, second: K, node: ast.stmt, /) -> K:
        """What a name holds that is bound differently in two ways through a statement."""

    def result(self, kinds: list[K]) -> K:
        """What a function gives that returns any of these, at least one."""

    def refuse(self) -> NoReturn:
        """End the walk at a statement, or a function, that is not followed."""


def returned(judge: Judge[K], function: Scope, names: dict[str, K], depth: int) -> K:
    """What a function gives, called at this depth, whose parameters are these."""
    node = function.node
    if depth > DEEPEST or function.yields or function.outer_names:
        judge.refuse()
    if isinstance(node, ast.Lambda):
        return judge.expression(node.body, names)
    if isinstance(node, (ast.Module, ast.ClassDef)):
        judge.refuse()
    found = _block(judge, node.body, names)
    if not found:
        judge.refuse()
    return judge.result(found)


def _block(judge: Judge[K], statements: list[ast.stmt], names: dict[str, K]) -> list[K]:
    """What the statements may return; `names` is brought up to date."""
    found: list[K] = []
    for statement in _reached(judge, statements, names):
        found += _statement(judge, statement, names)
    return found


def _reached(
    judge: Judge[K], statements: list[ast.stmt], names: dict[str, K]
) -> Iterator[ast.stmt]:
    """The statements that may run, in place of a choice that is known the ones it takes.

    `names` are asked as they are when a statement is reached.
    """
    for statement in statements:
        known = judge.outcome(statement.test, names) if isinstance(statement, ast.If) else None
        if known is None or not isinstance(statement, ast.If):
            yield statement
            continue
        taken = statement.body if known else statement.orelse
        yield from _reached(judge, taken, names)
        if taken and isinstance(taken[-1], (ast.Return, ast.Raise)):
            return


def _statement(judge: Judge[K], node: ast.stmt, names: dict[str, K]) -> list[K]:
    if isinstance(node, ast.Return) and node.value is not None:
        return [judge.expression(node.value, names)]
    if isinstance(node, ast.Assign):
        held = judge.expression(node.value, names)
        for target in node.targets:
            judge.bind(target, held, names)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        judge.bind(node.target, judge.expression(node.value, names), names)
    elif isinstance(node, ast.AugAssign):
        judge.bind(node.target, judge.updated(node, names), names)
    elif isinstance(node, ast.Expr):
        if not isinstance(node.value, ast.Constant):
            judge.expression(node.value, names)
    elif isinstance(node, ast.If):
        return _choice(judge, node, names)
    elif isinstance(node, ast.Assert):
        if judge.rests_on_data(node.test, names):
            judge.refuse()
    elif isinstance(node, ast.Try):
        return _attempt(judge, node, names)
    elif isinstance(node, ast.For) and not node.orelse:
        judge.bind(node.target, judge.element_of(node.iter, names), names)
        return _block(judge, node.body, names)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        return _block(judge, node.body, names)
    elif not isinstance(node, _NOTHING_DONE):
        judge.refuse()
    return []


_NOTHING_DONE = (ast.Pass, ast.Delete, ast.FunctionDef, ast.Import, ast.ImportFrom)


def _choice(judge: Judge[K], node: ast.If, names: dict[str, K]) -> list[K]:
    if not judge.rests_on_data(node.test, names) and _only_raises(node):
        return []
    other = dict(names)
    found = [*_block(judge, node.body, names), *_block(judge, node.orelse, other)]
    _merge(judge, names, other, node)
    return found


def _attempt(judge: Judge[K], node: ast.Try, names: dict[str, K]) -> list[K]:
    """What an attempt may return, or what stands in for it where it fails."""
    before = dict(names)
    found = _block(judge, [*node.body, *node.orelse], names)
    for handler in node.handlers:
        if isinstance(handler.body[-1], ast.Raise):
            continue
        other = dict(before)
        found += _block(judge, handler.body, other)
        _merge(judge, names, other, node)
    return found + _block(judge, node.finalbody, names)


def _merge(judge: Judge[K], names: dict[str, K], other: dict[str, K], node: ast.stmt) -> None:
    """Bring `names` up to date where another way through a statement binds them, too."""
    for name, kind in other.items():
        held = names.setdefault(name, kind)
        if held != kind:
            names[name] = judge.either(held, kind, node)


def _only_raises(node: ast.If) -> bool:
    return not node.orelse and len(node.body) == 1 and isinstance(node.body[0], ast.Raise)
