"""Whether what a generator gives is gone through to its end where it is called.

Then the call runs all of its body, as the call of a function does.
"""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import FunctionTerm

_ALL = frozenset(
    """dict extend frozenset fromiter fsum join list max min prod set sorted sum tuple""".split()  # noqa: SIM905
)
_HANDING_ON = frozenset(("enumerate", "filter", "iter", "map", "tqdm"))
_LEAVING = (ast.Break, ast.Return)


def is_consumed(analysis: Analysis, site: CallSite) -> bool:
    """Whether the expression or the loop around a call goes through all that the call gives."""
    return _is_gone_through(analysis, site.node, site.scope)


def _is_gone_through(analysis: Analysis, node: ast.AST, scope: Scope) -> bool:
    around = analysis.parents_in(scope).get(id(node))
    if isinstance(around, ast.For):
        return around.iter is node and not any(
            isinstance(part, _LEAVING) for one in around.body for part in tree.walk(one)
        )
    if isinstance(around, (ast.Starred, ast.YieldFrom)):
        return True
    if isinstance(around, ast.Assign):
        # Python asks for one more than there are names, and fails if there is one.
        return all(isinstance(one, (ast.Tuple, ast.List)) for one in around.targets)
    if isinstance(around, ast.comprehension):
        whole = analysis.parents_in(scope).get(id(around))
        if not isinstance(whole, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            return False
        is_first = whole.generators[0] is around and around.iter is node
        return is_first and (
            not isinstance(whole, ast.GeneratorExp) or _is_gone_through(analysis, whole, scope)
        )
    if not isinstance(around, ast.Call) or node not in around.args or len(around.args) > 2:
        return False
    name = last_name(around.func)
    held = values.evaluate(analysis, around.func, scope)
    # What the project calls by such a name may do anything.
    if any(isinstance(term, FunctionTerm) for term in held):
        return False
    if name in _HANDING_ON:
        return _is_gone_through(analysis, around, scope)
    return name in _ALL and around.args[0] is node
