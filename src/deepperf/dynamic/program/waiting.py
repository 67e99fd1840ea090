"""What a line of a program waits for: a lock, or a time after which it looks for work again."""

from __future__ import annotations

import ast
from typing import NamedTuple

from deepperf.dynamic.program.text import spans, tree_of

LOOKS = frozenset(("empty", "qsize", "get_nowait"))
"""Methods of queues that only look whether there is something."""


class Held(NamedTuple):
    """A lock by its text, and the lines that are run while it is held."""

    lock: str
    first: int
    last: int


def lock_taken_at(file: str, line: int) -> Held | None:
    """The lock that a `with` statement, or a call of `acquire`, takes at a line; None where there
    is none. What a call makes, as `open(...)` does, is no lock that others could hold."""
    tree = tree_of(file)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)) and node.body:
            for item in node.items:
                if not isinstance(item.context_expr, ast.Call) and spans(item.context_expr, line):
                    end = node.end_lineno or node.lineno
                    return Held(ast.unparse(item.context_expr), node.body[0].lineno, end)
        elif isinstance(node, ast.Expr) and spans(node, line):
            call = node.value
            if isinstance(call, ast.Call) and _name_of(call) == "acquire":
                assert isinstance(call.func, ast.Attribute)
                return Held(ast.unparse(call.func.value), line, line)
    return None


def looks_again_at(file: str, line: int) -> bool:
    """Whether a line sleeps in a loop that goes on to look whether a queue has something by now."""
    tree = tree_of(file)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.While) and spans(node, line):
            calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
            sleeps = any(spans(one, line) and _called(one) == "sleep" for one in calls)
            if sleeps and any(_name_of(one) in LOOKS for one in calls):
                return True
    return False


def _name_of(call: ast.Call) -> str:
    """The method that is called, "" for a function."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else _name_of(call)
