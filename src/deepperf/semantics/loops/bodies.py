"""What decides whether a call of a function runs a part of its body, and how it is run."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Branch, CallSite, Scope
from deepperf.semantics.text import tree


def choices(analysis: Analysis, site: CallSite) -> list[tuple[ast.expr, Branch]]:
    """What decides within its statement that a call is run: `y`, of `f(x) if y` and `y or f(x)`."""
    if id(site.statement) not in analysis.module_of(site.scope).scopes.choosing:
        return []
    node: ast.AST = tree.written(site.node)
    around = analysis.parents_in(site.scope)
    found: list[tuple[ast.expr, Branch]] = []
    while isinstance(outer := around.get(id(node)), ast.expr):
        if isinstance(outer, ast.IfExp) and node is not outer.test:
            found.append((outer.test, Branch.BODY if node is outer.body else Branch.ELSE))
        elif isinstance(outer, ast.BoolOp):
            branch = Branch.BODY if isinstance(outer.op, ast.And) else Branch.ELSE
            place = next(n for n, value in enumerate(outer.values) if value is node)
            found += [(value, branch) for value in outer.values[:place]]
        node = outer
    return found


def defaults(function: Scope) -> dict[str, ast.expr]:
    """What a function's parameters are where a call gives nothing for them."""
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return {}
    listed = [*node.args.posonlyargs, *node.args.args]
    optional = listed[len(listed) - len(node.args.defaults) :]
    found = {a.arg: d for a, d in zip(optional, node.args.defaults, strict=True)}
    by_name = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return found | {a.arg: d for a, d in by_name if d is not None}
