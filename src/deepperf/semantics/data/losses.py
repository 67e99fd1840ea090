"""Whether what single samples are joined to is a loss, and no batch that a model is given."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.text import tree

_BACKWARD = "backward"


def is_loss(analysis: Analysis, join: CallSite) -> bool:
    """Whether a function only computes with what is joined until it takes its gradient."""
    scope = join.scope
    made: set[str] = set()
    for statement in _statements(scope):
        value = getattr(statement, "value", None)
        if not isinstance(value, ast.expr):
            continue
        if isinstance(value, ast.Call) and last_name(value.func) == _BACKWARD:
            whole = getattr(value.func, "value", None)
            if isinstance(whole, ast.expr) and _comes(analysis, whole, join, made):
                return True
        if not _comes(analysis, value, join, made):
            continue
        if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            made |= {target.id for target in targets if isinstance(target, ast.Name)}
    return False


def _statements(scope: Scope) -> list[ast.stmt]:
    inner = {id(part) for child in scope.children for part in tree.walk(child.node)}
    found = [part for part in tree.walk(scope.node) if isinstance(part, ast.stmt)]
    return sorted((s for s in found if id(s) not in inner), key=lambda one: one.lineno)


def _comes(analysis: Analysis, node: ast.expr, join: CallSite, made: set[str]) -> bool:
    """Whether it is the join, or what known operations make of it."""
    if node is join.node:
        return True
    if isinstance(node, ast.Name):
        return node.id in made
    if isinstance(node, ast.BinOp):
        return any(_comes(analysis, side, join, made) for side in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return _comes(analysis, node.operand, join, made)
    if not isinstance(node, ast.Call):
        return False
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    if receiver is not None and _comes(analysis, receiver, join, made):
        return True
    # What calls a model makes its answer, of a batch.
    is_known = has(callgraph.fact_of_call(analysis, node, join.scope), Trait.COMPUTES)
    return is_known and any(_comes(analysis, p, join, made) for p in tree.arguments(node))
