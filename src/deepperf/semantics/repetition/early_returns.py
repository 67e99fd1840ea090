"""Returns by which a function answers early in some calls, and goes on in the others."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.writes import attributes

_COMPARING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def possible(analysis: Analysis, site: CallSite) -> list[ast.expr]:
    """The tests that, by the text, may decide on a shortcut before a function makes a call."""
    node = site.scope.node
    body = [] if isinstance(node, (ast.Lambda, ast.Module, ast.ClassDef)) else node.body

    def find() -> list[tuple[int, ast.expr]]:
        return [
            (statement.end_lineno or 0, statement.test)
            for statement in body
            if isinstance(statement, ast.If)
            and not statement.orelse
            and isinstance(statement.body[-1], ast.Return)
            and isinstance(statement.test, (ast.BoolOp, ast.Compare))
        ]

    found = analysis.reuse(("shortcuts", site.scope), find)
    return [test for end, test in found if end < site.node.lineno]


def before(analysis: Analysis, site: CallSite, tests: list[ast.expr]) -> frozenset[int]:
    """Those of the possible tests, by their ids, of the shortcuts that a function may take.

    What it remembers, how often it was called, and what it was given at all are none: where these
    decide, the call is not what the function normally does.
    """
    return frozenset(id(test) for test in tests if _tells_of_data(analysis, test, site.scope))


def _tells_of_data(analysis: Analysis, test: ast.expr, function: Scope) -> bool:
    """Whether it compares what a call is given, and nothing that the function itself sets."""
    if isinstance(test, ast.BoolOp):
        return all(_tells_of_data(analysis, part, function) for part in test.values)
    if not isinstance(test, ast.Compare) or not all(isinstance(op, _COMPARING) for op in test.ops):
        return False
    parts = [*tree.walk(test)]
    if any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod) for part in parts):
        return False
    read = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    if not tree.names_in(test).isdisjoint(function.outer_names):
        return False
    return not read or read.isdisjoint(attributes.touched(analysis, function))
