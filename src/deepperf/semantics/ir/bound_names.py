"""What a piece of a tree says by itself: where it stands, and which names it binds."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from deepperf.semantics.ir.table import Span


def span_of(node: Any) -> Span:
    line = getattr(node, "lineno", 1)
    return (
        line,
        getattr(node, "col_offset", 0),
        getattr(node, "end_lineno", line) or line,
        getattr(node, "end_col_offset", 0) or 0,
    )


def is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value)


def captured(pattern: ast.AST) -> list[str]:
    named = (getattr(node, "name", None) for node in ast.walk(pattern))
    return [name for name in named if isinstance(name, str)]


_TARGETS = (ast.Name, ast.Tuple, ast.List, ast.Starred)
_EXPRESSIONS = frozenset(
    kind
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.expr) and kind not in _TARGETS
)


def skippable_in(text: str) -> frozenset[type]:
    """The kinds of nodes in which a text binds no name: expressions do so by `:=` alone."""
    return frozenset() if ":=" in text else _EXPRESSIONS


def stored(
    statements: Iterable[ast.AST], skippable: frozenset[type]
) -> tuple[frozenset[str], frozenset[str]]:
    """The names that code binds, and those that it declares global or nonlocal."""
    bound: set[str] = set()
    outer: set[str] = set()
    pending: list[ast.AST] = list(statements)
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind in skippable:
            continue
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:  # type: ignore[attr-defined]
                bound.add(node.id)  # type: ignore[attr-defined]
        elif kind is ast.Constant:
            continue
        elif kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
            bound.add(node.name)  # type: ignore[attr-defined]
            pending.extend(node.decorator_list)  # type: ignore[attr-defined]
        elif kind is ast.Lambda:
            continue
        elif kind in (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp):
            pending.extend(child for child in ast.walk(node) if isinstance(child, ast.NamedExpr))
        elif kind in (ast.Import, ast.ImportFrom):
            for alias in node.names:  # type: ignore[attr-defined]
                bound.add(alias.asname or alias.name.partition(".")[0])
        elif kind in (ast.Global, ast.Nonlocal):
            outer.update(node.names)  # type: ignore[attr-defined]
        elif kind is ast.ExceptHandler:
            if node.name:  # type: ignore[attr-defined]
                bound.add(node.name)  # type: ignore[attr-defined]
            pending.extend(node.body)  # type: ignore[attr-defined]
        elif kind.__name__ in ("MatchAs", "MatchStar", "MatchMapping"):
            bound.update(captured(node))
        elif kind is ast.NamedExpr:
            bound.add(node.target.id)  # type: ignore[attr-defined]
            pending.append(node.value)  # type: ignore[attr-defined]
        else:
            for field in node._fields:
                part = getattr(node, field, None)
                if isinstance(part, list):
                    pending.extend([one for one in part if isinstance(one, ast.AST)])
                elif isinstance(part, ast.AST):
                    pending.append(part)
    return frozenset(bound), frozenset(outer)
