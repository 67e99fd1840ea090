"""Whether the iterations of a loop hand arrays of a framework on to the iterations after them."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Definition
from deepperf.semantics.names.scopes import Frame
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance

TENSORS = {"tensorflow": "tensorflow.Tensor", "jax": "jax.Array"}
"""The type of each framework's arrays."""


def hands_on(analysis: Analysis, loop: Frame, framework: str) -> bool:
    """Whether an iteration works on a tensor that the iteration before has made."""
    flow = analysis.module_of(loop.scope).flow(loop.scope)
    for part in tree.walk(loop.node):
        if not isinstance(part, ast.Name):
            continue
        reaching = flow.uses.get(id(part), ())
        inside = [d for d in reaching if id(loop.node) in d.loops and d.value is not None]
        if not inside or len(inside) == len(reaching):
            continue
        if any(
            _makes_tensor(analysis, d, framework) or _makes_state(analysis, d, part.id, framework)
            for d in inside
        ):
            return True
    return False


def _makes_state(analysis: Analysis, definition: Definition, name: str, framework: str) -> bool:
    """Whether a function without loops makes the next state of one, which holds arrays of JAX."""
    value = definition.value
    if framework != "jax" or not isinstance(value, ast.Call) or definition.unpacking:
        return False
    targets = callgraph.targets_of(
        analysis, values.evaluate(analysis, value.func, definition.scope)
    )
    return (
        len(targets) == 1
        and not targets[0].function.loops
        and any(getattr(given, "id", None) == name for given in tree.arguments(value))
    )


def _makes_tensor(analysis: Analysis, definition: Definition, framework: str) -> bool:
    if definition.value is None:
        return False
    return any(
        isinstance(term, Instance) and analysis.knowledge.is_subtype(term.type, TENSORS[framework])
        for term in values.definition_value(analysis, definition)
    )
