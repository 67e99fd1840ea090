"""The lines of a program's text that work on what a file holds that is opened at one of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.dynamic.program.text import function_around, tree_of
from deepperf.dynamic.program.turns import names_in
from deepperf.knowledge import members

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def lines_of_reading(file: str, line: int) -> frozenset[int]:
    """The lines of the statement that opens a file at a line, and of those after it in the same
    function that use what was made of it."""
    tree = tree_of(file)
    if tree is None:
        return frozenset((line,))
    function = function_around(tree, line)
    known: set[str] = set()
    found = {line}
    for statement in _statements(function):
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        opens = first <= line <= last and _opens(statement, line)
        # What a loop that has the opening in its body does is not all for it.
        uses = first > line and bool(known & names_in(_head(statement)))
        if opens or uses:
            found.update(range(first, last + 1))
            known |= _made(statement)
    return frozenset(found)


def _statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function or a module, outer ones first, in the order of its text; what
    it defines has names of its own."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, DEFINITIONS):
            continue
        if isinstance(node, ast.stmt):
            yield node
        yield from _statements(node)


def _head(statement: ast.stmt) -> ast.AST:
    """What a statement itself asks for, without the statements that it holds."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return statement.iter
    if isinstance(statement, (ast.While, ast.If)):
        return statement.test
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return ast.Tuple([item.context_expr for item in statement.items], ast.Load())
    return statement


def _opens(statement: ast.stmt, line: int) -> bool:
    """Whether what a statement itself asks for stands at a line."""
    if isinstance(statement, ast.Try):
        return False
    return any(getattr(node, "lineno", 0) == line for node in ast.walk(_head(statement)))


def _made(statement: ast.stmt) -> set[str]:
    """What a statement sets, or adds to."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_added_to = node.func.attr in members.LIST_ADDITIONS
            found |= names_in(node.func.value) if is_added_to else set()
    return found
