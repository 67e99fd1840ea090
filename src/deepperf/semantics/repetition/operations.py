"""Which calls are work that is worth not doing twice."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import root_name
from deepperf.semantics.loops.regions import Region, last_name
from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.repetition import filled_arrays
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import ARRAY_TYPES, Value

_LIGHT = frozenset((Trait.ELEMENTWISE, Trait.REDUCES, Trait.ARRANGES, Trait.JOINS))
_LIGHT |= frozenset((Trait.CREATES_ARRAY, Trait.VIEWS, Trait.CASTS, Trait.GATHERS))
"""Traits of what goes over an array once, or less."""


def names(analysis: Analysis) -> frozenset[str]:
    return analysis.project.trigger_names(frozenset((Trait.COMPUTES,)))


def may_be_operation(analysis: Analysis, site: CallSite) -> bool:
    """Whether, by its text alone, a call may be a framework operation, or fill a table."""
    function = site.node.func
    given = site.node.args or site.node.keywords
    is_open = bool(given) and isinstance(function, (ast.Name, ast.Attribute))
    return is_open or last_name(site) in names(analysis)


def is_worth_repeating(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call is a framework operation that takes long enough to matter."""
    if is_work_of_its_own(analysis, site):
        return True
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if not has(fact, Trait.COMPUTES) or not effects.is_repeatable(fact):
        return False
    if Trait.CASTS in fact.traits:
        return False
    if Trait.COSTLY in fact.traits or fact.framework != "numpy":
        return True
    operands = tree.operands(site.node)
    # Only a table has an axis along which it is summed up.
    names_axis = any(keyword.arg == "axis" for keyword in site.node.keywords)
    if names_axis and Trait.REDUCES in fact.traits:
        return True
    return any(
        _is_array(analysis, values.evaluate(analysis, operand, site.scope))
        for operand in operands
        if not _is_one_item(operand)
    )


def is_small_step(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether it is a method of a NumPy array that the turn makes: a pass over what is small."""
    fact = callgraph.fact_at(analysis, site)
    if fact is None or fact.framework != "numpy" or Trait.COSTLY in fact.traits:
        return False
    return isinstance(site.node.func, ast.Attribute) and root_name(site.node.func) in region.bound


def is_costly(analysis: Analysis, site: CallSite) -> bool:
    if is_work_of_its_own(analysis, site):
        return True
    return has(callgraph.fact_at(analysis, site), Trait.COSTLY)


def is_more_than_a_pass(analysis: Analysis, site: CallSite) -> bool:
    """Whether it takes longer than to go over an array once, as transforms and products do."""
    fact = callgraph.fact_at(analysis, site)
    return is_costly(analysis, site) or (fact is not None and fact.traits.isdisjoint(_LIGHT))


def is_costly_in_numpy(analysis: Analysis, site: CallSite) -> bool:
    """Whether NumPy has an operation by this name that does more than to go over an array."""
    return any(
        has(analysis.knowledge.fact(f"{module}.{last_name(site)}"), Trait.COSTLY)
        for module in ("numpy", "numpy.linalg", "numpy.fft")
    )


def weight(analysis: Analysis, site: CallSite) -> int:
    """Which of several operations to tell: the one that takes longest, as far as is known."""
    return is_costly(analysis, site) + is_more_than_a_pass(analysis, site)


def costliest(analysis: Analysis, site: CallSite) -> CallSite:
    """The operation, or one that its own expression holds, for what takes long: `inv(x).sum()`."""
    parts = {id(part) for part in tree.walk(site.node)}
    within = [other for other in site.scope.calls if id(other.node) in parts]
    if is_costly(analysis, site):
        return site
    return next(
        (
            other
            for other in within
            if is_costly(analysis, other) and is_worth_repeating(analysis, other)
        ),
        site,
    )


def is_work_of_its_own(analysis: Analysis, site: CallSite) -> bool:
    """Whether it takes long by what it fills, whatever it calls."""
    return filled_arrays.filled(analysis, site) is not None


def _is_one_item(node: ast.expr) -> bool:
    """Whether it reads a single item, so that an array gives a number: `x[0, 1]`."""
    if not isinstance(node, ast.Subscript):
        return False
    index = node.slice
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return len(parts) > 1 and not any(isinstance(part, ast.Slice) for part in parts)


def _is_array(analysis: Analysis, held: Value) -> bool:
    return any(
        name in ARRAY_TYPES
        for term in held
        if hasattr(term, "type")
        for name in classes.instance_type(analysis, term)  # type: ignore[arg-type]
    )
