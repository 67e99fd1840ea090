"""Returns by which a function answers early in some calls, and goes on in the others."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.writes import attributes

_COMPARING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def before(analysis: Analysis, site: CallSite) -> frozenset[int]:
    """The tests, by their ids, of the shortcuts that a function may take before it makes a call.

    What it remembers, how often it was called, and what it was given at all are none: where these
    decide, the call is not what the function normally does.
    """
    function = site.scope
    node = function.node
    body = [] if isinstance(node, (ast.Lambda, ast.Module, ast.ClassDef)) else node.body
    return frozenset(
        id(statement.test)
        for statement in body
        if (statement.end_lineno or 0) < site.node.lineno
        and isinstance(statement, ast.If)
        and not statement.orelse
        and isinstance(statement.body[-1], ast.Return)
        and _tells_of_data(analysis, statement.test, function)
    )


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
    is_own = not tree.names_in(test).isdisjoint(function.outer_names)
    return not is_own and read.isdisjoint(attributes.touched(analysis, function))
