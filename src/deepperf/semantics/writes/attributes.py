"""The attributes that code sets, or writes through, by itself and in what it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import Region, last_name, region_of_function, sites_of
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Argument, Literal, Object, Term
from deepperf.semantics.writes.harmless import is_harmless, writes_by_name

_ITERATING = ("__iter__", "__next__", "__getitem__")
_SETTING = ("__setitem__",)
_ENTERING = ("__enter__", "__exit__", "__aenter__", "__aexit__")


def rebinds(analysis: Analysis, attribute: str, region: Region) -> bool:
    """Whether the region, or what it calls, sets an attribute of this name on anything."""
    return attribute in region.attributes or any(
        attribute in set_by(analysis, target.function)
        for site in sites_of(region)
        if not is_harmless(analysis, site)
        for target in callgraph.targets(analysis, site)
    )


def touched(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes that the function, or one it calls, sets or writes through."""

    def find() -> frozenset[str]:
        return frozenset().union(
            *(_touched_by_itself(analysis, one) for one in led_to(analysis, function))
        )

    return analysis.remember(("attributes touched", function), find, frozenset())


def _touched_by_itself(analysis: Analysis, function: Scope) -> frozenset[str]:
    region = region_of_function(analysis, function)
    found = set(region.attributes) | set(_set_by_name(analysis, function))
    found.update(part for chain in region.items for part in chain[1:])
    for accesses in region.accesses.values():
        for access in accesses:
            if access.on_it and writes_by_name(last_name(access.site)):
                found.update(access.chain[1:])
    return frozenset(found)


def led_to(analysis: Analysis, function: Scope) -> Iterator[Scope]:
    """The function and all that it calls, in functions it calls too, each once.

    They are gone through one by one: functions that call each other in many ways would be asked
    again for each way.
    """
    pending = [function] if function.kind is ScopeKind.FUNCTION else []
    seen = set(pending)
    while pending:
        one = pending.pop()
        analysis.module_of(one)
        yield one
        for called in _called_by(analysis, one):
            if called not in seen and called.kind is ScopeKind.FUNCTION:
                seen.add(called)
                pending.append(called)


def _called_by(analysis: Analysis, function: Scope) -> tuple[Scope, ...]:
    """The functions that the lines of one call, or give methods of its object to calls."""

    def find() -> tuple[Scope, ...]:
        found: dict[Scope, None] = {}
        for site in function.calls:
            if not is_harmless(analysis, site):
                for target in callgraph.targets(analysis, site):
                    found[target.function] = None
            for method in _methods_given(analysis, site):
                found[method] = None
        return tuple(found)

    return analysis.remember(("called by", function), find, ())


def _methods_given(analysis: Analysis, site: CallSite) -> Iterator[Scope]:
    """The methods of its own object that a function gives to a call, which runs them perhaps."""
    cls, receiver = classes.enclosing_class(site.scope), classes.receiver_name(site.scope)
    for given in tree.arguments(site.node) if cls is not None else ():
        chain = tree.chain_of(given)
        if cls is not None and chain is not None and len(chain) == 2 and chain[0] == receiver:
            method = classes.method_of(analysis, cls, chain[1])
            if isinstance(method, Scope):
                yield method


class Running(Struct, frozen=True, eq=False):
    """A function of the project that a region runs, and what it is called of."""

    function: Scope
    receiver: Object | None


def running(analysis: Analysis, region: Region) -> tuple[Running, ...]:
    """The functions that a region runs, whoever calls them there.

    What they touch lies in all that they call, and is asked of few of them.
    """

    def find() -> tuple[Running, ...]:
        return tuple(
            Running(one, receiver if isinstance(receiver, Object) else None)
            for function, receiver in dict.fromkeys(_run_in(analysis, region))
            for one in (function, *classes.overriding(analysis, function))
        )

    key = region.scope.node if region.loop is None else region.loop.node
    return analysis.remember(("running in", key), find, ())


def _run_in(analysis: Analysis, region: Region) -> Iterator[tuple[Scope, Term | None]]:
    for site in sites_of(region):
        if not is_harmless(analysis, site):
            for target in callgraph.targets(analysis, site):
                yield target.function, target.receiver
        for method in _methods_given(analysis, site):
            yield method, None
    for place, frames in region.scope.item_writes:
        if region.loop is None or region.loop in frames:
            yield from _methods(analysis, place, region.scope, _SETTING)
    if region.loop is None:
        return
    for part in tree.walk(region.loop.node):
        if isinstance(part, (ast.For, ast.AsyncFor, ast.comprehension)):
            for one in tree.walk(part.iter):
                if isinstance(one, (ast.Name, ast.Attribute, ast.Call)):
                    yield from _methods(analysis, one, region.scope, _ITERATING)
        elif isinstance(part, ast.withitem):
            yield from _methods(analysis, part.context_expr, region.scope, _ENTERING)


def _methods(
    analysis: Analysis, node: ast.expr, scope: Scope, names: tuple[str, ...]
) -> Iterator[tuple[Scope, Object]]:
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Object):
            for name in names:
                method = classes.method_of(analysis, term.cls, name)
                if isinstance(method, Scope):
                    yield method, term


def given_to(analysis: Analysis, one: Running, scope: Scope) -> Iterator[ast.expr]:
    """What an object was given in `scope` where it was made, and keeps in what it touches now."""
    if one.receiver is None:
        return
    site = analysis.site_of(one.receiver.site, scope)
    constructor = classes.method_of(analysis, one.receiver.cls, "__init__")
    if site is None or site.scope is not scope or not isinstance(constructor, Scope):
        return
    analysis.module_of(constructor)
    target = callgraph.Target(constructor, one.receiver, 1)
    bound = callgraph.bound_arguments(site.node, target)
    for write in constructor.attribute_writes:
        given = bound.get(write.value.id) if isinstance(write.value, ast.Name) else None
        if given is not None and write.attribute in touched(analysis, one.function):
            yield given


def set_by(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes of any object that the function, or one it calls or holds, sets."""

    def find() -> frozenset[str]:
        return frozenset(
            write.attribute
            for one in led_to(analysis, function)
            for scope in one.walk()
            for write in scope.attribute_writes
        ).union(name for one in led_to(analysis, function) for name in _set_by_name(analysis, one))

    return analysis.remember(("attributes set", function), find, frozenset())


def _set_by_name(analysis: Analysis, function: Scope) -> Iterator[str]:
    """The attributes that `setattr` sets; where the name is not known, any of the own object."""
    for site in function.calls:
        given = site.node.args
        if not isinstance(site.node.func, ast.Name) or site.node.func.id != "setattr":
            continue
        held = values.evaluate(analysis, given[1], function) if len(given) > 1 else ()
        known = [t.value for t in held if isinstance(t, Literal) and isinstance(t.value, str)]
        yield from known
        cls = classes.enclosing_class(function)
        is_open = not known or any(not isinstance(t, (Argument, Literal)) for t in held)
        if cls is not None and is_open:
            yield from (one.attribute for child in cls.children for one in child.attribute_writes)
