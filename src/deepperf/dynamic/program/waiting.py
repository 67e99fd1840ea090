"""What a line of a program waits for: a lock, or a time after which it looks for work again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepperf.dynamic.program.text import spans, tree_of

LOOKS = frozenset(("empty", "qsize", "get_nowait"))
"""Methods of queues that only look whether there is something."""
TAKES = frozenset(("get", "get_nowait"))
LOCKS = frozenset(("Lock", "RLock", "Condition"))
"""Classes of which one thread at a time holds one. A semaphore is held by several on purpose."""


class Held(NamedTuple):
    """A lock by its text, and the lines that are run while it is held."""

    lock: str
    first: int
    last: int


def lock_taken_at(file: str, line: int) -> Held | None:
    """The lock that a `with` statement, or a call of `acquire`, takes at a line; None where there
    is none, or where the file does not say that it is one: pools and progress bars also wait at
    the end of a `with`."""
    tree = tree_of(file)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.With) and node.body:
            for item in node.items:
                if spans(item.context_expr, line) and _is_lock(tree, item.context_expr):
                    end = node.end_lineno or node.lineno
                    return Held(ast.unparse(item.context_expr), node.body[0].lineno, end)
        elif isinstance(node, ast.Expr) and spans(node, line):
            taken = _acquired(node.value)
            if taken is not None and _is_lock(tree, taken):
                return Held(ast.unparse(taken), line, line)
    return None


def _acquired(value: ast.expr) -> ast.expr | None:
    called = value.func if isinstance(value, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr == "acquire":
        return called.value
    return None


def _is_lock(tree: ast.AST | None, taken: ast.expr) -> bool:
    """Whether something that a file makes, or annotates, under such a name is a lock."""
    name = _last_of(taken)
    if tree is None or not name:
        return False
    return any(name in names and _names_lock(value) for names, value in _given(tree))


def _given(tree: ast.AST) -> Iterator[tuple[set[str], ast.AST]]:
    """The names that a file gives to values, and these; or what it annotates them with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield {_last_of(target) for target in node.targets}, node.value
        elif isinstance(node, ast.AnnAssign):
            yield {_last_of(node.target)}, node
        elif isinstance(node, ast.arg) and node.annotation is not None:
            yield {node.arg}, node.annotation


def _names_lock(value: ast.AST) -> bool:
    return any(isinstance(part, ast.expr) and _last_of(part) in LOCKS for part in ast.walk(value))


def _last_of(value: ast.expr) -> str:
    """The name by which something is known, be it an attribute's or that of what holds many."""
    while isinstance(value, ast.Subscript):
        value = value.value
    if isinstance(value, ast.Attribute):
        return value.attr
    return value.id if isinstance(value, ast.Name) else ""


def looks_again_at(file: str, line: int) -> bool:
    """Whether a line sleeps in a loop that goes on to look whether a queue has something by now."""
    tree = tree_of(file)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.While) and spans(node, line):
            calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
            sleeps = any(spans(one, line) and _last_of(one.func) == "sleep" for one in calls)
            # One that takes nothing waits until others have, or until there is room.
            if sleeps and _asked_of(calls, LOOKS) & _asked_of(calls, TAKES):
                return True
    return False


def _asked_of(calls: Iterable[ast.Call], methods: frozenset[str]) -> set[str]:
    """What such methods are called of, without an argument: `numpy.empty(3)` looks at nothing."""
    return {
        ast.unparse(one.func.value)
        for one in calls
        if isinstance(one.func, ast.Attribute)
        and one.func.attr in methods
        and (one.func.attr == "get" or not one.args)
    }
