"""What a line of a program waits for: a lock, or a time after which it looks for work again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepperf.dynamic.program.text import function_around, spans, tree_of

LOOKS = frozenset(("empty", "qsize", "get_nowait"))
"""Methods of queues that only look whether there is something."""
TAKES = frozenset(("get", "get_nowait"))
POPS = frozenset(("pop", "popitem", "popleft"))
"""Methods that take something out of a container."""
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
    """Whether a line sleeps in a loop that goes on to look whether a queue, a list or a mapping has
    something by now, which the same function takes from there."""
    tree = tree_of(file)
    if tree is None:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.While) and spans(node, line):
            calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
            sleeps = any(spans(one, line) and _last_of(one.func) == "sleep" for one in calls)
            # One that takes nothing waits until others have, or until there is room.
            looked_at = _looked_at(node, calls, line)
            if sleeps and looked_at & _taken_from(function_around(tree, line)):
                return True
    return False


def _looked_at(loop: ast.While, calls: Iterable[ast.Call], line: int) -> set[str]:
    """What a loop asks whether it holds something, before it sleeps at a line."""
    tests = [loop.test]
    tests += [one.test for one in ast.walk(loop) if isinstance(one, ast.If) and spans(one, line)]
    held = {one for test in tests for one in _held_in(test)}
    # `job = jobs.pop(0) if jobs else None`, and then `if job is None`.
    taken = (
        _popped_from(node.value)
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign) and held & {_last_of(target) for target in node.targets}
    )
    return _asked_of(calls, LOOKS) | held.union(*taken)


def _held_in(test: ast.expr) -> Iterator[str]:
    """What a condition asks for its elements: `box`, `not box`, `len(box)`, `key in box`."""
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _held_in(part)
    elif isinstance(test, ast.UnaryOp):
        yield from _held_in(test.operand)
    elif isinstance(test, (ast.Name, ast.Attribute)):
        yield ast.unparse(test)
    elif isinstance(test, ast.Compare):
        if isinstance(test.ops[0], (ast.In, ast.NotIn)):
            yield ast.unparse(test.comparators[0])
        if isinstance(test.ops[0], (ast.Is, ast.IsNot)) or isinstance(test.left, ast.Call):
            yield from _held_in(test.left)
    elif isinstance(test, ast.Call) and _last_of(test.func) == "len" and test.args:
        yield ast.unparse(test.args[0])


def _taken_from(scope: ast.AST) -> set[str]:
    """What a function takes elements from, by methods or by an index."""
    picked = {
        ast.unparse(node.value)
        for node in ast.walk(scope)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Load, ast.Del))
    }
    return picked | _popped_from(scope)


def _popped_from(scope: ast.AST) -> set[str]:
    calls = [node for node in ast.walk(scope) if isinstance(node, ast.Call)]
    popped = {
        ast.unparse(one.func.value)
        for one in calls
        if isinstance(one.func, ast.Attribute) and one.func.attr in POPS
    }
    return popped | _asked_of(calls, TAKES)


def _asked_of(calls: Iterable[ast.Call], methods: frozenset[str]) -> set[str]:
    """What such methods are called of, without an argument: `numpy.empty(3)` looks at nothing."""
    return {
        ast.unparse(one.func.value)
        for one in calls
        if isinstance(one.func, ast.Attribute)
        and one.func.attr in methods
        and (one.func.attr == "get" or not one.args)
    }
