"""The text of the program that ran, as a tree: asked during the run, and after it."""

from __future__ import annotations

import ast
import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from deepperf.semantics.text.source import Source, read_source

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
NEWLINE = re.compile(r"\r\n|\r|\n")
"""What ends a line for Python; other readers end one at a form feed, too."""


@functools.lru_cache(maxsize=64)
def text_of(file: str) -> str | None:
    """A file's text, decoded as Python decodes it; None where it cannot be read."""
    # A program may call its code what it likes, "/dev/zero" too.
    if not os.path.isfile(file):
        return None
    try:
        source = read_source(file, Path(file).read_bytes())
    except OSError:
        return None
    return source.text if isinstance(source, Source) else None


def lines_of(file: str) -> list[str]:
    """The lines of a file, as Python numbers them; none where it cannot be read."""
    lines = NEWLINE.split(text_of(file) or "")
    return lines if lines[-1] else lines[:-1]


@functools.lru_cache(maxsize=64)
def tree_of(file: str) -> ast.Module | None:
    """The tree of a file; None where it cannot be read or parsed."""
    text = text_of(file)
    try:
        return None if text is None else ast.parse(text)
    except (MemoryError, RecursionError, SyntaxError, ValueError):
        return None


def spans(node: ast.stmt | ast.expr, line: int) -> bool:
    """Whether a line, from 1, is one of those that a node stands on."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def simple_statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements in a scope that hold no others, in no certain order."""
    for node in ast.walk(scope):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node


def are_two_statements(file: str, one: int, other: int) -> bool:
    """Whether two lines stand in two statements of which neither holds the other: what is seen at
    one is not what is said of the other, however near they are."""
    first, second = _simple_at(file, one), _simple_at(file, other)
    return first is not None and second is not None and first is not second


def _simple_at(file: str, line: int) -> ast.stmt | None:
    """The statement without a body that a line stands in; None for the head of one with a body."""
    tree = tree_of(file)
    found = [] if tree is None else [one for one in simple_statements(tree) if spans(one, line)]
    # What stands last is the innermost: to `ast`, a `match` has no body.
    return max(found, key=lambda one: one.lineno, default=None)


def function_around(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function that a line stands in; the module where it stands in none."""
    around = [node for node in ast.walk(tree) if isinstance(node, Function) and spans(node, line)]
    return max(around, key=lambda node: node.lineno, default=tree)


def last_value(scope: ast.AST, name: str, line: int) -> ast.expr | None:
    """What the last statement of a function before a line sets a name to; None for none.

    Where it sets several side by side, that is what all of them are taken from.
    """
    found: ast.Assign | None = None
    for node in ast.walk(scope):
        if not isinstance(node, ast.Assign) or node.lineno >= line:
            continue
        is_set = any(
            isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store)
            for target in node.targets
            for part in ast.walk(target)
        )
        if is_set and (found is None or node.lineno > found.lineno):
            found = node
    return None if found is None else found.value


def class_around(file: str, line: int) -> str:
    """The name of the innermost class that a line stands in; "" where it stands in none."""
    tree = tree_of(file)
    around = [
        node
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.ClassDef) and spans(node, line)
    ]
    return max(around, key=lambda node: node.lineno).name if around else ""
