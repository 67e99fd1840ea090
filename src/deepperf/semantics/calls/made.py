"""Functions and callable objects that calls make, and what these results are handed to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import callbacks, callers, callgraph, decorated, listed
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, heirs

MOST_MADE = 12


def maker_of(function: Scope) -> Scope | None:
    """The function that makes and returns a function, as it is."""
    parent = function.parent
    return parent if parent is not None and decorated.is_returned(function, parent) else None


def calls_where_handed(analysis: Analysis, function: Scope) -> list[CallSite]:
    """The calls of what its maker gave, by those that it is handed to, of their parameter.

    What makes an object that is called by the function is its class.
    """
    found = []
    for made in _makings(analysis, function)[:MOST_MADE]:
        for site, argument in _handing(analysis, made):
            for target in callgraph.targets(analysis, site):
                given = callgraph.bound_arguments(site.node, target)
                names = {name for name, held in given.items() if held is argument}
                found += [
                    inner
                    for inner in callbacks.calls_of(
                        analysis, target.function, names, made.scope.module_path
                    )
                    if any(t.function is function for t in callgraph.targets(analysis, inner))
                ]
    return found


def _makings(analysis: Analysis, function: Scope) -> tuple[CallSite, ...]:
    if made := _called_classes(analysis, function):
        return tuple(site for cls in made for site in callers.constructions(analysis, cls))
    maker = maker_of(function)
    return () if maker is None else callers.callers(analysis, maker)


def _called_classes(analysis: Analysis, method: Scope) -> tuple[Scope, ...]:
    """The classes whose objects run a method when they are called."""
    cls = classes.enclosing_class(method)
    if cls is None or method.name not in callgraph.CALLED_AS:
        return ()
    base = callgraph.CALLED_AS[method.name]
    if base and not classes.inherits(analysis, cls, base):
        return ()
    return (cls, *heirs.descendants(analysis, cls, frozenset((method.name,))))


def may_be_handed(analysis: Analysis, function: Scope) -> bool:
    """Whether, by their text, files call a maker or class, so that the result may be handed on."""
    for cls in _called_classes(analysis, function):
        analysis.asked.add(cls.name)
        home = cls.module_path
        around = analysis.project.importers_naming(home, cls.name)
        analysis.touched.update(around[:1])
        if around or analysis.module(home).calls_named(cls.name):
            return True
    maker = maker_of(function)
    if maker is None:
        return False
    analysis.asked.add(maker.name)
    called = analysis.module_of(function).calls_named(maker.name)
    return bool(called) or listed.is_listed(analysis, maker)


def names_of_results(analysis: Analysis, function: Scope) -> Iterator[str]:
    """The names that are bound to a function where its maker is called by another name."""
    maker = maker_of(function)
    if maker is not None and listed.is_listed(analysis, maker):
        for made in callers.callers(analysis, maker)[:MOST_MADE]:
            yield from _bound(made)


def _handing(analysis: Analysis, made: CallSite) -> Iterator[tuple[CallSite, ast.expr]]:
    """The calls that are given what a call made, in place or by name, with that argument."""
    parents = tree.parents(made.statement)
    around = parents.get(id(made.node))
    if isinstance(around, ast.keyword):
        around = parents.get(id(around))
    if isinstance(around, ast.Call) and around.func is not made.node:
        site = analysis.site_of(around, made.scope)
        if site is not None:
            yield site, made.node
    for name in _bound(made):
        for site in made.scope.calls:
            for argument in tree.arguments(site.node):
                if isinstance(argument, ast.Name) and argument.id == name:
                    yield site, argument


def _bound(made: CallSite) -> list[str]:
    """The names that the statement of a call binds to what it gives."""
    statement = made.statement
    if not isinstance(statement, ast.Assign) or statement.value is not made.node:
        return []
    return [target.id for target in statement.targets if isinstance(target, ast.Name)]
