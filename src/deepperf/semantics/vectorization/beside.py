"""What the turns of a loop do besides computing what they keep."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction, loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.vectorization import slices


def calls_its_own(analysis: Analysis, loop: Frame) -> bool:
    """Whether each turn calls an object of its own, of which a program has few."""
    return any(
        _is_own(analysis, site.node.func, site.scope, loop)
        for site in loops.sites_in(analysis, loop)
        if site.scope is loop.scope
    )


def _is_own(analysis: Analysis, called: ast.expr, scope: Scope, loop: Frame) -> bool:
    if isinstance(called, ast.Subscript):
        return slices.taken(analysis, called.slice, scope, loop) is slices.Taken.COUNTER
    if not isinstance(called, ast.Name):
        return False
    return slices.taken(analysis, called, scope, loop) is slices.Taken.ELEMENT


def is_handed_on(analysis: Analysis, site: CallSite) -> bool:
    """Whether what a call gives is at once given to something of which nothing is known."""
    inner: ast.AST = site.node
    parents = tree.parents(site.statement)
    while (outer := parents.get(id(inner))) is not None and outer is not site.statement:
        if isinstance(outer, ast.Call) and inner is not outer.func:
            held = values.evaluate(analysis, outer.func, site.scope)
            names = callgraph.external_names(held)
            is_known = callgraph.fact_of(analysis, held) is not None or any(
                name.startswith("builtins.") for name in names
            )
            is_kept = last_name(outer.func) in members.CONTAINER_ADDITIONS
            if not is_known and not is_kept:
                return True
        inner = outer
    return False


def tells_size(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether each iteration makes, or cuts, an array that is as large as a call says.

    Then these arrays may differ in size, and each takes an iteration of its own.
    """
    turns = induction.turning(loop.scope, (loop,))
    ends = [
        end
        for part in tree.walk(loop.node)
        if isinstance(part, ast.Slice)
        for end in (part.lower, part.upper)
        if end is not None
    ]
    if any(part is site.node for end in ends for part in induction.expanded(analysis, end, turns)):
        return True
    for other in loops.sites_in(analysis, loop):
        if other is site or other.scope is not loop.scope:
            continue
        fact = callgraph.fact_at(analysis, other)
        if fact is None or Trait.CREATES_ARRAY not in fact.traits:
            continue
        shape = callgraph.role_argument(other.node, fact, ParameterRole.SHAPE)
        if shape is not None and any(
            part is site.node for part in induction.expanded(analysis, shape, turns)
        ):
            return True
    return False


__all__ = ["calls_its_own", "is_handed_on", "tells_size"]
