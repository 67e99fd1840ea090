"""Which nodes hold what a model predicts: an array that is given to an operation as it is."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.models import predictions
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values

_DEEPEST = 6


def holds_predictions(analysis: Analysis, site: CallSite) -> bool:
    """Whether what adds nodes in the statement of a call is given an array of predictions.

    In a graph such an array becomes a constant. What is computed of it before is another, and
    may be a number.
    """
    path = site.scope.module_path

    def find() -> frozenset[int]:
        return frozenset(id(one.node) for one in predictions.predict_calls(analysis, path))

    nothing: frozenset[int] = frozenset()
    predicting = analysis.remember(("predict calls", path), find, nothing)
    return bool(predicting) and any(
        _is_predicted(analysis, argument, site.scope, predicting, _DEEPEST)
        for other in site.scope.calls
        if other.statement is site.statement
        and has(callgraph.fact_at(analysis, other), Trait.ADDS_NODE)
        for argument in tree.arguments(other.node)
    )


def _is_predicted(
    analysis: Analysis, node: ast.expr, scope: Scope, predicting: frozenset[int], depth: int
) -> bool:
    if depth == 0:
        return False
    given: list[ast.expr] = []
    if isinstance(node, ast.Call):
        if id(node) in predicting:
            return True
        if has(callgraph.fact_of_call(analysis, node, scope), Trait.ADDS_NODE):
            given = tree.arguments(node)
    elif isinstance(node, ast.BinOp):
        given = [node.left, node.right]
    elif isinstance(node, ast.Subscript) and _takes_many(node.slice):
        given = [node.value]
    elif isinstance(node, ast.Name):
        given = [
            found.value
            for found in values.definitions_of(analysis, node, scope)
            if found.binding is Binding.ASSIGNED and found.value is not None
            if found.scope is scope and not found.unpacking
        ]
    return any(_is_predicted(analysis, one, scope, predicting, depth - 1) for one in given)


def _takes_many(index: ast.expr) -> bool:
    """Whether an index leaves the axis of the rows: a slice comes first."""
    return isinstance(tree.first_of(index), ast.Slice)
