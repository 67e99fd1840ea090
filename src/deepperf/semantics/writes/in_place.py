"""What a piece of code changes in place by its own lines: arrays, lists and other objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import Access, Region, given, holder_of, sites_of
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Display, External, Instance
from deepperf.semantics.writes import aliases, attributes
from deepperf.semantics.writes.harmless import writes_by_name


def changed_in_place(analysis: Analysis, region: Region) -> Iterator[ast.expr]:
    """What the lines of a region set items of, add to, call a changing method of, or have changed.

    Functions of the project that they call are not looked into.
    """
    scope, loop = region.scope, region.loop
    for target, frames in scope.item_writes:
        if loop is None or loop in frames:
            yield target
            yield from _shown_by_call(target)
    for definitions in analysis.module_of(scope).flow(scope).all.values():
        for definition in definitions:
            if definition.binding is Binding.AUGMENTED and (
                loop is None or id(loop.node) in definition.loops
            ):
                yield from _added_to(analysis, definition)
    for site in sites_of(region):
        for function in _named(analysis, site):
            if writes_by_name(function.attr) and not is_module(analysis, function, scope):
                yield function.value
    for one in attributes.running(analysis, region):
        yield from attributes.given_to(analysis, one, scope)
    for accesses in region.accesses.values():
        for access in accesses:
            if _is_changed(analysis, access):
                yield from places(access)


def _shown_by_call(target: ast.expr) -> Iterator[ast.expr]:
    """What a call was given in whose result items are set: they lie in that, or are lost.

    Or in what it holds, as in `min(rows, key=len)[0] = 1`: such are starred.
    """
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    if isinstance(target, ast.Call):
        for one in tree.operands(target):
            yield one
            yield ast.Starred(one, ast.Load())


def places(access: Access) -> Iterator[ast.expr]:
    """Where a call is given what an access leads to, or is made on it."""
    function = access.site.node.func
    if access.on_it and isinstance(function, ast.Attribute):
        yield function.value
    elif not access.on_it:
        yield from (one for one in given(access.site.node) if holder_of(one) == access.chain)


def _named(analysis: Analysis, site: CallSite) -> Iterator[ast.Attribute]:
    """The methods that a call names, or that the name which it calls was bound to."""
    function = site.node.func
    if isinstance(function, ast.Attribute):
        yield function
    elif isinstance(function, ast.Name) and function.id in site.scope.bound:
        for definition in values.definitions_of(analysis, function, site.scope):
            if isinstance(definition.value, ast.Attribute) and definition.scope is site.scope:
                yield definition.value


def _added_to(analysis: Analysis, definition: Definition) -> Iterator[ast.expr]:
    """The target of `x += y`, unless that gives `x` a new number, text or tensor."""
    node = definition.node
    if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Name):
        return
    held = values.evaluate(analysis, node.target, definition.scope)
    if not held or all(aliases.is_immutable(analysis, term) for term in held):
        return
    # A number that is not known is counted on, an array is not known to be one.
    is_counter = type(getattr(node.value, "value", None)) is int and not any(
        isinstance(term, (Instance, Display)) for term in held
    )
    if not is_counter:
        yield node.target


def is_output(access: Access) -> bool:
    """Whether a call is told to write its result there."""
    keywords = access.site.node.keywords
    return any(k.arg == "out" and holder_of(k.value) == access.chain for k in keywords)


def is_module(analysis: Analysis, function: ast.expr, scope: Scope) -> bool:
    """Whether it is a function of a module, and no method of an object."""
    assert isinstance(function, ast.Attribute)
    held = values.evaluate(analysis, function.value, scope)
    return bool(held) and all(isinstance(term, External) for term in held)


def _is_changed(analysis: Analysis, access: Access) -> bool:
    """Whether a framework's function is given it to write to."""
    if access.on_it:
        return False
    fact = callgraph.fact_at(analysis, access.site)
    role = ParameterRole.CHANGED
    changed = callgraph.role_argument(access.site.node, fact, role) if fact is not None else None
    return is_output(access) or (changed is not None and holder_of(changed) == access.chain)
