"""Functions that are compiled in a moment."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution.makings import Making
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.text import tree
from deepperf.semantics.values import values

_ARRAY_MODULES = ("jax.lax.", "jax.numpy.")
"""Where single operations on arrays lie, some of which are in no table."""


def is_of_one_operation(analysis: Analysis, made: Making) -> bool:
    """Whether a `lambda` of a single operation on arrays is compiled."""
    function = made.function
    if not isinstance(function, ast.Lambda):
        return False
    done = [part for part in tree.walk(function.body) if isinstance(part, (ast.Call, ast.BinOp))]
    if len(done) != 1 or not isinstance(done[0], ast.Call):
        return False
    scope = analysis.module_of(made.site.scope).scopes.by_node[id(function)]
    held = values.evaluate(analysis, done[0].func, scope)
    names = callgraph.external_names(held)
    is_simple = not has(callgraph.fact_of(analysis, held), Trait.TRACES_ARGUMENT)
    return bool(names) and is_simple and all(name.startswith(_ARRAY_MODULES) for name in names)
