"""Sizes that are built into what is compiled: for each of them code is made anew, whoever keeps it.

In JAX an argument cannot say how large an array is, unless it is static, and then each value of it
is compiled for, too. Whether the same ones come again, the text does not tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution.makings import Making
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import External

_SHAPING = frozenset(("broadcast_to", "reshape"))
"""Functions, and methods of arrays, that are told a shape."""


def are_sizes(analysis: Analysis, made: Making, names: tuple[str, ...]) -> bool:
    """Whether one of these names says, in a function that is compiled, how large an array is."""
    traits = made.fact.traits
    # What is traced for each value may be given a tensor as a size.
    if Trait.TRACES_EACH_SHAPE not in traits or Trait.TRACES_EACH_VALUE in traits:
        return False
    return any(
        ast.unparse(part) in names
        for function in _compiled(analysis, made)
        for site in function.calls
        for shape in _shapes(analysis, site)
        for part in tree.walk(shape)
        if isinstance(part, (ast.Name, ast.Attribute))
    )


def _compiled(analysis: Analysis, made: Making) -> Iterator[Scope]:
    """The functions that are compiled, and those within them."""
    if made.decorated is not None:
        yield from made.decorated.walk()
        return
    for node in (made.function, *made.others):
        held = values.evaluate(analysis, node, made.site.scope)
        for target in callgraph.targets_of(analysis, held):
            analysis.module_of(target.function)
            yield from target.function.walk()


def _shapes(analysis: Analysis, site: CallSite) -> Iterator[ast.expr]:
    """The arguments of a call that say how large something is."""
    fact = callgraph.fact_at(analysis, site)
    shape = callgraph.role_argument(site.node, fact, ParameterRole.SHAPE) if fact else None
    if shape is not None:
        yield shape
    elif last_name(site.node.func) in _SHAPING:
        held = callgraph.callee(analysis, site)
        is_function = any(isinstance(term, External) for term in held)
        yield from tree.arguments(site.node)[int(is_function) :]
