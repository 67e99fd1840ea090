"""Calls of functions of the project that hand the rows they are given on to a model's `predict`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.sizes import rows
from deepperf.semantics.values import values

_KEEPING = frozenset((Trait.ELEMENTWISE, Trait.CASTS))
_FARTHEST = 4


def wrapped_calls(
    analysis: Analysis, site: CallSite, given: ast.expr
) -> Iterator[tuple[CallSite, int]]:
    """The calls, in its file, of the function that asks at `site` about `given`, and their rows."""
    function = site.scope
    if function.kind is not ScopeKind.FUNCTION or site.loops or function.yields:
        return
    name = _parameter(analysis, given, function, _FARTHEST)
    if name is None:
        return
    for caller in callers.callers(analysis, function):
        if caller.scope.module_path != function.module_path or caller.scope is function:
            continue
        for target in callgraph.targets(analysis, caller):
            passed = callgraph.bound_arguments(caller.node, target).get(name)
            if target.function is function and passed is not None:
                count = rows.input_rows(analysis, passed, caller.scope)
                if count is not None:
                    yield caller, count


def _parameter(analysis: Analysis, node: ast.expr, function: Scope, farthest: int) -> str | None:
    """The parameter with as many rows as an expression that is made of it number by number."""
    if not farthest:
        return None
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        found = [_parameter(analysis, side, function, farthest - 1) for side in sides]
        named = [name for name in found if name is not None]
        return named[0] if len(named) == 1 else None
    if isinstance(node, ast.Call):
        fact = callgraph.fact_of_call(analysis, node, function)
        if not has(fact, *_KEEPING):
            return None
        is_method = isinstance(node.func, ast.Attribute) and not node.args
        inner = node.func.value if is_method else next(iter(node.args), None)  # type: ignore[attr-defined]
        return _parameter(analysis, inner, function, farthest - 1) if inner is not None else None
    if not isinstance(node, ast.Name):
        return None
    definitions = values.definitions_of(analysis, node, function)
    if len(definitions) != 1 or definitions[0].scope is not function:
        return None
    made = definitions[0]
    if made.binding is Binding.PARAMETER:
        return made.name
    if made.binding is Binding.ASSIGNED and made.value is not None and not made.unpacking:
        return _parameter(analysis, made.value, function, farthest - 1)
    return None
