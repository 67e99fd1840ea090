"""Functions that a framework, or Python itself, calls with what another call was given.

`dataset.apply(f)` gives what `f(dataset)` gives; `reduce(f, items, first)` what `f` gives of
`first` and each of the items.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, decorated
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import elements, values
from deepperf.semantics.values.terms import Argument, Method, Unknown, Value, union

MOST_FILES = 8
_Application: TypeAlias = "tuple[CallSite, callgraph.Target]"
_ROLES = {
    Trait.APPLIES_TRANSFORMATION: ParameterRole.TRANSFORMATION,
    Trait.FOLDS: ParameterRole.FUNCTION,
}


def result(analysis: Analysis, name: str, call: ast.Call, scope: Scope) -> Value:
    """What a call of the external `name` gives, if it runs functions of the project for that."""
    function = _function(analysis, name, call)
    if function is None:
        return ()
    targets = callgraph.targets_of(analysis, values.evaluate(analysis, function, scope))
    found = [values.returned(analysis, target.function) for target in targets]
    return union(*found) if found else ()


def given(analysis: Analysis, function: Scope, name: str) -> Value:
    """What such calls hand to a parameter of a function."""
    found = [
        value
        for site, target in _sites(analysis, function)
        if (value := _handed(analysis, site, target, name))
    ]
    return union(*found) if found else ()


def _function(analysis: Analysis, name: str, call: ast.Call) -> ast.expr | None:
    fact = analysis.knowledge.fact(name)
    if fact is None:
        return None
    role = next((role for trait, role in _ROLES.items() if trait in fact.traits), None)
    return None if role is None else callgraph.role_argument(call, fact, role)


def _sites(analysis: Analysis, function: Scope) -> tuple[_Application, ...]:
    return analysis.remember(
        ("applied", function), lambda: tuple(_find_sites(analysis, function)), ()
    )


def _find_sites(analysis: Analysis, function: Scope) -> Iterator[_Application]:
    home, project = function.module_path, analysis.project
    maker = _maker(function)
    named = function.name if maker is None else maker
    paths: tuple[str, ...] = (home,)
    if named != "<lambda>":
        analysis.asked.add(named)
        around = project.importers_naming(home, named)
        analysis.touched.update(around[: MOST_FILES + 1])
        if len(around) <= MOST_FILES:
            is_given = maker is not None  # what it makes may be given under any name
            paths += tuple(p for p in around if is_given or project.texts.may_hand_over(p, named))
    applying = project.trigger_names(frozenset(_ROLES))
    for path in paths:
        if not any(project.may_call(path, name) for name in applying):
            continue
        sites = analysis.module(path).calls_given(function)
        if maker is not None:
            sites = [*sites, *_given_what_is_made(analysis, path, maker, applying)]
        for site in dict.fromkeys(sites):
            for name in callgraph.external_names(callgraph.callee(analysis, site))[:1]:
                handed = _function(analysis, name, site.node)
                held = () if handed is None else values.evaluate(analysis, handed, site.scope)
                for target in callgraph.targets_of(analysis, held):
                    if target.function is function:
                        yield site, target


def _maker(function: Scope) -> str | None:
    """The name of what is called to get the function: the one that returns it, or a class."""
    parent = function.parent
    if parent is None:
        return None
    if parent.kind is ScopeKind.CLASS:
        return parent.name if function.name == "__call__" else None
    return parent.name if decorated.is_returned(function, parent) else None


def _given_what_is_made(
    analysis: Analysis, path: str, maker: str, applying: frozenset[str]
) -> Iterator[CallSite]:
    """The calls of a file that may be given what calling `maker` gives, in place or by name."""
    module = analysis.module(path)
    if not module.calls_named(maker):
        return
    for site in module.calls_of(applying):
        for argument in tree.arguments(site.node):
            made = argument.func if isinstance(argument, ast.Call) else None
            if isinstance(argument, ast.Name) or (made is not None and last_name(made) == maker):
                yield site


def _handed(analysis: Analysis, site: CallSite, target: callgraph.Target, name: str) -> Value:
    node = target.function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return ()
    listed = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    index = listed[target.shift :].index(name) if name in listed[target.shift :] else None
    receiver, arguments = site.node.func, site.node.args
    fact = callgraph.fact_at(analysis, site)
    if has(fact, Trait.APPLIES_TRANSFORMATION):
        if index == 0 and isinstance(receiver, ast.Attribute):
            return values.evaluate(analysis, receiver.value, site.scope)
        return ()
    if index == 0 and len(arguments) > 2:
        return values.evaluate(analysis, arguments[2], site.scope)
    if index in (0, 1) and len(arguments) > 1:
        held = values.evaluate(analysis, arguments[1], site.scope)
        # What it goes over may be a parameter itself, as open as the one that is asked about.
        told = tuple(term for term in held if not isinstance(term, Argument))
        return elements.elements(analysis, told or held)
    return ()


def alike(held: Value, found: list[Value]) -> list[Value]:
    """What calling each of some terms gives, where a method that gives back its object is one.

    What callers pass is taken to be like what is known of it: it is given back, too.
    """
    gives_back = any(
        isinstance(term, Method) and given == (term.receiver,)
        for term, given in zip(held, found, strict=True)
    )
    if not gives_back:
        return found
    return [
        (term,) if isinstance(term, Unknown) else given
        for term, given in zip(held, found, strict=True)
    ]
