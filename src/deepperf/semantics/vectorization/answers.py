"""Whether an array is what a model answered, in whatever form it was brought since."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.values import values

_FARTHEST = 3
"""Names through which an array is followed to the call that made it."""
_FORMS = frozenset((Trait.ALONG_AXIS, Trait.ARRANGES, Trait.CASTS, Trait.ELEMENTWISE))
_ASKING = members.MODELS | {"predict", "predict_on_batch", "predict_proba"}


def comes_from_model(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is what a model answered, by the call that made it."""
    for _ in range(_FARTHEST):
        node = _bare_answer(analysis, node, scope)
        if isinstance(node, ast.Call):
            fact = callgraph.fact_of_call(analysis, node, scope)
            name = last_name(node.func)
            if fact is not None and Trait.PREDICTS in fact.traits:
                return True
            return fact is None and name in _ASKING
        if not isinstance(node, ast.Name):
            return False
        found = values.definitions_of(analysis, node, scope)
        if len(found) != 1 or found[0].binding is not Binding.ASSIGNED or found[0].value is None:
            return False
        node, scope = found[0].value, found[0].scope
    return False


def _bare_answer(analysis: Analysis, node: ast.expr, scope: Scope) -> ast.expr:
    """What an array was before parts of it were taken, or it was brought into another form."""
    while True:
        is_view = isinstance(node, ast.Attribute) and node.attr in members.VIEW_ATTRIBUTES
        if isinstance(node, ast.Subscript) or is_view:
            node = node.value  # type: ignore[attr-defined]
        elif isinstance(node, ast.Call):
            fact = callgraph.fact_of_call(analysis, node, scope)
            is_known = fact is not None and not fact.traits.isdisjoint(_FORMS)
            if not is_known and (fact or last_name(node.func) not in members.CONVERSIONS):
                return node
            of_array = fact is None or induction.is_method(analysis, node, scope)
            if of_array and isinstance(node.func, ast.Attribute):
                node = node.func.value
            elif node.args:
                node = node.args[0]
            else:
                return node
        else:
            return node
