"""Where nodes of the tree stand in the text, as people count: characters, from 1."""

from __future__ import annotations

import ast

from deepperf.records import Location
from deepperf.semantics.files.module import Module
from deepperf.semantics.names.scopes import COMPREHENSIONS, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.text.syntax import character_column

LONGEST_QUOTE = 60


def span_of(module: Module, node: ast.AST) -> tuple[int, int]:
    """The offsets of a node in the text, start and end (exclusive)."""
    return (
        _offset(module, node.lineno, node.col_offset),  # type: ignore[attr-defined]
        _offset(module, node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
    )


def _offset(module: Module, line: int, utf8_column: int) -> int:
    starts = module.starts
    return starts[min(line, len(starts)) - 1] + _column(module, line, utf8_column)


def _column(module: Module, line: int, utf8_column: int) -> int:
    """The column in characters, from 0; of repaired text, where what was added is not there."""
    text = line_at(module, line)
    return min(character_column(text, max(0, utf8_column)), len(text))


def line_at(module: Module, line: int) -> str:
    """A line of the text without its end; "" behind the last."""
    starts = module.starts
    if not 1 <= line <= len(starts):
        return ""
    end = starts[line] if line < len(starts) else len(module.source.text)
    return module.source.text[starts[line - 1] : end].rstrip("\r\n")


def location_of(module: Module, node: ast.AST) -> Location:
    """The place of a node.

    A method call on the result of a call, or on another line than it begins, is at the name of
    the method.
    """
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        first = node.test if isinstance(node, ast.While) else node.iter
        return _between(module, node.lineno, node.col_offset, first)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        function = node.func
        is_below = function.end_lineno != node.lineno
        # A chain of calls, which may be long, is seen at once.
        is_chained = isinstance(function.value, ast.Call)
        is_chained = is_chained or any(isinstance(p, ast.Call) for p in tree.walk(function.value))
        if is_below or is_chained:
            width = len(function.attr.encode("utf-8"))
            assert function.end_lineno is not None
            assert function.end_col_offset is not None
            return _between(module, function.end_lineno, function.end_col_offset - width, node)
    return _between(module, node.lineno, node.col_offset, node)  # type: ignore[attr-defined]


def _between(module: Module, line: int, utf8_column: int, end: ast.AST) -> Location:
    end_line: int = end.end_lineno  # type: ignore[attr-defined]
    end_column: int = end.end_col_offset  # type: ignore[attr-defined]
    return Location(
        module.path,
        line,
        _column(module, line, utf8_column) + 1,
        end_line,
        _column(module, end_line, end_column) + 1,
    )


def definition_location(module: Module, scope: Scope) -> Location:
    """The place of a function's header."""
    node = scope.node
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        column = _column(module, node.lineno, node.col_offset) + 1
        end = len(line_at(module, node.lineno)) + 1
        return Location(module.path, node.lineno, column, node.lineno, end)
    if isinstance(node, ast.Module):
        return Location(module.path, 1, 1, 1, 1)
    return location_of(module, node)


def loop_header(module: Module, frame: Frame) -> str:
    """`for target in iterable`, `while test` or `frame.apply(…)`, on one line and shortened.

    Of a hook, each call of which is an iteration of a loop that the framework has, the name.
    """
    node = frame.node
    text = module.source.text
    if isinstance(node, ast.While):
        start, end = span_of(module, node.test)
        return shortened("while " + " ".join(text[start:end].split()))
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name
    if isinstance(node, ast.Call):
        start, end = span_of(module, node.func)
        return shortened(" ".join(text[start:end].split()) + "(…)")
    if isinstance(node, COMPREHENSIONS):
        first = node.generators[0]
        target, iterable = first.target, first.iter
    else:
        assert isinstance(node, (ast.For, ast.AsyncFor))
        target, iterable = node.target, node.iter
    start, end = span_of(module, target)[0], span_of(module, iterable)[1]
    return shortened("for " + " ".join(text[start:end].split()))


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"
