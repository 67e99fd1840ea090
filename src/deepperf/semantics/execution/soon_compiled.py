"""Functions that are compiled in a moment."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution.makings import Making
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values

_ARRAY_MODULES = ("jax.lax.", "jax.numpy.")
"""Where single operations on arrays lie, some of which are in no table."""
_MOVES = frozenset(("device_put", "with_sharding_constraint"))
_PLACES = ("jax.sharding.", "jax.device")
"""Where lies what says on which devices an array is to be."""


def is_of_one_operation(analysis: Analysis, made: Making) -> bool:
    """Whether a `lambda` of a single operation on arrays is compiled."""
    function = made.function
    if not isinstance(function, ast.Lambda):
        return False
    done = _done(analysis, made, function)
    if len(done) != 1 or not isinstance(done[0], ast.Call):
        return False
    scope = analysis.module_of(made.site.scope).scopes.by_node[id(function)]
    held = values.evaluate(analysis, done[0].func, scope)
    names = callgraph.external_names(held)
    is_simple = not has(callgraph.fact_of(analysis, held), Trait.TRACES_ARGUMENT)
    return bool(names) and is_simple and all(name.startswith(_ARRAY_MODULES) for name in names)


def only_moves(analysis: Analysis, made: Making) -> bool:
    """Whether a `lambda` gives back what it is given, on other devices perhaps."""
    function = made.function
    # The other branch of a choice does more.
    if not isinstance(function, ast.Lambda) or made.others or made.runs_at_once:
        return False
    done = _done(analysis, made, function)
    if not done:
        return isinstance(function.body, ast.Name)
    called = last_name(function.body.func) if isinstance(function.body, ast.Call) else None
    return done == [function.body] and called is not None and called in _MOVES


def _done(analysis: Analysis, made: Making, function: ast.Lambda) -> list[ast.expr]:
    """What a `lambda` calls and works out, but for where arrays are to be."""
    scope = analysis.module_of(made.site.scope).scopes.by_node[id(function)]
    return [
        part
        for part in tree.walk(function.body)
        if isinstance(part, ast.BinOp)
        or (isinstance(part, ast.Call) and not _names_place(analysis, part, scope))
    ]


def _names_place(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    names = callgraph.external_names(values.evaluate(analysis, call.func, scope))
    return bool(names) and all(name.startswith(_PLACES) for name in names)
