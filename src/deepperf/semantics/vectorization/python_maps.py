"""Python's `map` over an array, whose results are joined to an array again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.values import arrays, values
from deepperf.semantics.vectorization.collected import joined_argument


def joined_maps(analysis: Analysis, path: str) -> Iterator[tuple[CallSite, CallSite]]:
    """The maps of a file over the slices of one array, each with the call that joins what it gives.

    `map(f, array)` may be listed, or named, on its way there.
    """
    module = analysis.module(path)
    if "map" not in module.called_names:
        return
    wanted = analysis.project.trigger_names(frozenset((Trait.JOINS,)))
    for name in sorted(wanted.intersection(module.called_names)):
        for join in module.calls_named(name):
            mapped = _map_of(analysis, joined_argument(join), join.scope)
            if mapped is None or not _is_over_array(analysis, mapped, join.scope):
                continue
            fact = callgraph.fact_at(analysis, join)
            if has(fact, Trait.JOINS):
                yield module.scopes.call_sites[id(mapped)], join


def _map_of(analysis: Analysis, node: ast.expr | None, scope: Scope) -> ast.Call | None:
    """The call of `map` that an expression lists."""
    if isinstance(node, ast.Name):
        made = values.definitions_of(analysis, node, scope)
        is_one = len(made) == 1 and made[0].binding is Binding.ASSIGNED and not made[0].unpacking
        node = made[0].value if is_one and made[0].scope is scope else None
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == 1:
        only = node.elts[0]
        node = only.value if isinstance(only, ast.Starred) else None
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "map":
            return node
        is_listing = node.func.id in ("list", "tuple") and len(node.args) == 1
        node = node.args[0] if is_listing else None
    return None


def _is_over_array(analysis: Analysis, node: ast.Call, scope: Scope) -> bool:
    """Whether it is Python's own `map`, over one thing, which is an array."""
    if len(node.args) != 2 or callgraph.has_unpacked_arguments(node):
        return False
    names = callgraph.external_names(values.evaluate(analysis, node.func, scope))
    is_own = names == ("builtins.map",) or not names
    return is_own and arrays.is_array(analysis, node.args[1], scope)
