"""What runs when a buffer is full, or a counter at its end, which is set back then."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from deepperf.semantics.names.scopes import Branch, CallSite, Scope
from deepperf.semantics.text import tree

_COUNTING = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SKIPPING = (ast.Continue, ast.Return)


def is_in_flush(way: tuple[CallSite, ...]) -> bool:
    """Whether a condition around one of these calls watches what is emptied once it holds.

    That may be done beside the call, or in a function that the calls lead to.
    """
    later: list[ast.AST] = []
    for site in reversed(way):
        for test, guarded in _guarded(site):
            emptied = set(_emptied((*guarded, *later)))
            if not emptied.isdisjoint(_watched(test)):
                return True
        later.append(site.scope.node)
    return False


def _guarded(site: CallSite) -> Iterator[tuple[ast.expr, list[ast.AST]]]:
    """The conditions that a call is under, each with the code that is under it, too."""
    for frame in site.frames:
        node = frame.node
        if isinstance(node, ast.If) and frame.branch is Branch.BODY:
            yield node.test, list(node.body)
    body = _body(site.scope, site)
    for place, statement in enumerate(body):
        if not isinstance(statement, ast.If) or (statement.end_lineno or 0) >= site.node.lineno:
            continue
        if isinstance(statement.body[-1], _SKIPPING):
            yield statement.test, list(body[place + 1 :])


def _body(scope: Scope, site: CallSite) -> list[ast.stmt]:
    """The statements of the innermost loop around a call, or of its function."""
    around = site.loops[-1].node if site.loops else scope.node
    body = getattr(around, "body", None)
    return body if isinstance(body, list) else []


def _watched(test: ast.expr) -> Iterator[str]:
    for part in tree.walk(test):
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], _COUNTING):
            for side in (part.left, *part.comparators):
                if isinstance(side, ast.Call) and getattr(side.func, "id", "") == "len":
                    yield from (name for given in side.args for name in _named(given))
                else:
                    yield from _named(side)


def _emptied(parts: Iterable[ast.AST]) -> Iterator[str]:
    """The names and attributes that code sets to a constant or to nothing, or cuts."""
    for part in (inner for outer in parts for inner in tree.walk(outer)):
        if isinstance(part, ast.Assign) and _is_start(part.value):
            for target in part.targets:
                yield from _named(target)
        elif isinstance(part, ast.Delete):
            for target in part.targets:
                if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
                    yield from _named(target.value)
        elif isinstance(part, ast.Attribute) and part.attr == "clear":
            yield from _named(part.value)


def _is_start(value: ast.expr) -> bool:
    if isinstance(value, ast.Subscript):
        return isinstance(value.slice, ast.Slice)
    if isinstance(value, ast.Call):
        return not value.args and isinstance(value.func, ast.Name)
    is_display = isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) <= 1
    is_empty = isinstance(value, ast.Dict) and not value.keys
    return is_display or is_empty or isinstance(value, ast.Constant)


def _named(node: ast.expr) -> Iterator[str]:
    """What a name or an attribute of an object is called, both without the object."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield f".{node.attr}"
