"""The parameters whose objects a function changes, in functions that it calls too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import (
    Access,
    given,
    holder_of,
    last_name,
    region_of_function,
)
from deepperf.semantics.names import scopes
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import classes
from deepperf.semantics.writes import aliases, in_place
from deepperf.semantics.writes.harmless import is_harmless, writes_by_name

_Place = tuple[Scope, str]
"""A name in a function."""


def touches(analysis: Analysis, access: Access) -> bool:
    """Whether a function of the project that a call runs changes what the call is given there."""
    if is_harmless(analysis, access.site):
        return False
    return any(
        not become(access, target).isdisjoint(touched(analysis, target.function))
        for target in callgraph.targets(analysis, access.site)
    )


def become(access: Access, target: callgraph.Target) -> frozenset[str]:
    """The parameters that what a call is given, or made on, becomes in the function it runs."""
    if access.on_it:
        own = classes.receiver_name(target.function) if target.shift else None
        return frozenset(() if own is None else (own,))
    call, node = access.site.node, target.function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return frozenset()
    bound = callgraph.bound_arguments(call, target)
    found = {name for name, part in bound.items() if holder_of(part) == access.chain}
    others = [one for one in given(call) if all(one is not known for known in bound.values())]
    if any(holder_of(one) == access.chain for one in others):
        # What is unpacked there may become any parameter, what is too many becomes `*args`.
        found |= {one.arg for one in (node.args.vararg, node.args.kwarg) if one is not None}
        if callgraph.has_unpacked_arguments(call):
            found |= {one.arg for one in scopes.parameters(node)}
    return frozenset(found)


def touched(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The names of a function, its parameters among them, whose objects it changes."""
    return analysis.remember(
        ("parameters touched", function), lambda: _touched(analysis, function), frozenset()
    )


def _touched(analysis: Analysis, function: Scope) -> frozenset[str]:
    # Functions that call each other in many ways would be asked again for each way: what they
    # change is carried back from all that are reached, each once.
    leading: dict[_Place, list[_Place]] = {}
    pending, reached = [function], {function}
    changed: list[_Place] = []
    while pending:
        one = pending.pop()
        changed += [(one, name) for name in _touched_by_itself(analysis, one)]
        for name, called, parameter in _handed_on(analysis, one):
            leading.setdefault((called, parameter), []).append((one, name))
            if called not in reached:
                reached.add(called)
                pending.append(called)
    found = set(changed)
    while changed:
        for place in leading.get(changed.pop(), ()):
            if place not in found:
                found.add(place)
                changed.append(place)
    return frozenset(name for one, name in found if one is function)


def _touched_by_itself(analysis: Analysis, function: Scope) -> frozenset[str]:
    def find() -> frozenset[str]:
        flow = analysis.module_of(function).flow(function)
        region = region_of_function(analysis, function)
        found = set(region.objects)
        for place in in_place.changed_in_place(analysis, region):
            for chain in aliases.shown(analysis, place, function):
                if _may_be_given(analysis, place, chain[0], function):
                    found.add(chain[0])
        for name, definitions in flow.all.items():
            targets = (getattr(d.node, "target", None) for d in definitions if _adds(d))
            if any(
                isinstance(target, ast.Name) and _may_be_given(analysis, target, name, function)
                for target in targets
            ):
                found.add(name)
        for name, accesses in region.accesses.items():
            changing = (
                one for one in accesses if one.on_it and writes_by_name(last_name(one.site))
            )
            if any(
                _may_be_given(analysis, place, name, function)
                for one in changing
                for place in in_place.places(one)
            ):
                found.add(name)
        return frozenset(found)

    return analysis.remember(("touched by itself", function), find, frozenset())


def _adds(definition: Definition) -> bool:
    return definition.binding is Binding.AUGMENTED


def _may_be_given(analysis: Analysis, node: ast.expr, name: str, function: Scope) -> bool:
    """Whether a reference may lead to what the name holds from the start; others need no care."""
    whole = function.node
    if isinstance(whole, (ast.Module, ast.ClassDef)):
        return True
    is_given = any(one.arg == name for one in scopes.parameters(whole))
    return not is_given or aliases.may_be_given(analysis, node, name, function)


def _handed_on(analysis: Analysis, function: Scope) -> tuple[tuple[str, Scope, str], ...]:
    """The names of which a function hands objects on, and what these become there."""

    def find() -> tuple[tuple[str, Scope, str], ...]:
        return tuple(dict.fromkeys(_passed(analysis, function)))

    return analysis.remember(("handed on", function), find, ())


def _passed(analysis: Analysis, function: Scope) -> Iterator[tuple[str, Scope, str]]:
    for name, accesses in region_of_function(analysis, function).accesses.items():
        for access in accesses:
            if is_harmless(analysis, access.site):
                continue
            targets = callgraph.targets(analysis, access.site)
            roots: set[str] = set()
            for place in in_place.places(access) if targets else ():
                shown = {chain[0] for chain in aliases.shown(analysis, place, function)}
                roots |= {
                    one for one in {name, *shown} if _may_be_given(analysis, place, one, function)
                }
            for target in targets:
                for parameter in sorted(become(access, target)):
                    yield from ((root, target.function, parameter) for root in sorted(roots))
