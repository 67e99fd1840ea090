"""Whether a step of training could be compiled as it stands, or asks tensors for numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values


def asks_for_numbers(analysis: Analysis, loop: Frame, step: Scope | None) -> bool:
    """Whether what an iteration does for its gradient asks for numbers, in functions that it calls
    too.

    `step` is the function that does the iteration's work. Only eager tensors have numbers: such a
    step has to be taken apart, or written anew, before it can be compiled.
    """
    if step is not None and any(_records(analysis, site.node, step) for site in step.calls):
        sites: Iterable[CallSite] = step.calls
    else:
        sites = (s for s in loops.sites_in(analysis, loop) if _is_recorded(analysis, s))
    return any(_asks(analysis, site) for site in sites)


def _records(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    fact = callgraph.fact_of_call(analysis, node, scope) if isinstance(node, ast.Call) else None
    return has(fact, Trait.RECORDS_GRADIENT)


def _is_recorded(analysis: Analysis, site: CallSite) -> bool:
    return any(
        _records(analysis, item.context_expr, site.scope)
        for frame in site.frames
        if isinstance(frame.node, ast.With)
        for item in frame.node.items
    )


def _asks(analysis: Analysis, site: CallSite) -> bool:
    function = site.node.func
    if isinstance(function, ast.Attribute) and function.attr == "numpy" and not site.node.args:
        return True
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        return (
            fact.framework == "numpy"
            and Trait.COMPUTES in fact.traits
            and any(_is_given(analysis, part, site.scope) for part in tree.arguments(site.node))
        )
    return any(
        _function_asks(analysis, target.function) for target in callgraph.targets(analysis, site)
    )


def _function_asks(analysis: Analysis, function: Scope) -> bool:
    def find() -> bool:
        analysis.module_of(function)
        return any(_asks(analysis, site) for site in function.calls)

    return analysis.remember(("asks for numbers", function), find, otherwise=False)


def _is_given(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is a parameter: under a compiler, a tensor without numbers."""
    return isinstance(node, ast.Name) and any(
        definition.binding is Binding.PARAMETER
        for definition in values.definitions_of(analysis, node, scope)
    )
