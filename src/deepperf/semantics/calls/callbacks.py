"""Functions that are handed to other functions of the project, which call them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes

MOST_GIVEN = 24
MOST_FILES = 16


def calls_as_parameter(analysis: Analysis, function: Scope, path: str) -> list[CallSite]:
    """The calls of a function by those that a file hands it to, of their parameter."""
    # Only a file whose text has the name where an argument ends is worth parsing.
    if path != function.module_path and not analysis.project.texts.may_hand_over(
        path, function.name
    ):
        return []
    found = []
    for site, handed in _handing(analysis, function, path):
        if (passed_on := _called_in_place(analysis, site)) is not None:
            found.append(passed_on)
        for target in callgraph.targets(analysis, site):
            names = {
                name
                for name, argument in callgraph.bound_arguments(site.node, target).items()
                if argument in handed
            }
            if names:
                analysis.module_of(target.function)
            found += [
                inner
                for inner in calls_of(analysis, target.function, names, path)
                if any(t.function is function for t in callgraph.targets(analysis, inner))
            ]
    return found


def _called_in_place(analysis: Analysis, site: CallSite) -> CallSite | None:
    """The call of what a call gives, where that is the function it was given: `delayed(f)(x)`."""
    fact = callgraph.fact_at(analysis, site)
    if fact is None or fact.returns != "$0":
        return None
    parent = analysis.parents_in(site.scope).get(id(site.node))
    is_called = isinstance(parent, ast.Call) and parent.func is site.node
    return analysis.site_of(parent, site.scope) if is_called else None


def calls_of(analysis: Analysis, function: Scope, names: set[str], path: str) -> Iterator[CallSite]:
    """The calls, by name alone, of what a function is given, or of what an object keeps of it.

    `path` is the file that gives it, where an heir may be defined.
    """
    if not names:
        return
    for scope in function.walk():
        yield from (site for site in scope.calls if getattr(site.node.func, "id", None) in names)
    kept = {
        write.attribute
        for write in function.attribute_writes
        if getattr(write.value, "id", None) in names
    }
    for attribute in sorted(kept):
        for holder in dict.fromkeys((function.module_path, path)):
            yield from analysis.calls_named(holder, attribute)


def calls_given(analysis: Analysis, function: Scope) -> Iterator[CallSite]:
    """The calls that may, by the text, be given a function, in its file and those that know it."""
    home, name = function.module_path, function.name
    yield from dict.fromkeys(analysis.module(home).calls_given(function))
    if name == "<lambda>":
        return
    analysis.asked.add(name)
    around = analysis.project.importers_naming(home, name)[:MOST_FILES]
    analysis.touched.update(around)
    for path in around:
        if analysis.project.texts.may_hand_over(path, name):
            yield from dict.fromkeys(analysis.module(path).calls_given(function))


def is_handed_over(analysis: Analysis, function: Scope) -> bool:
    """Whether, by its text, the function's own file may hand it to a call."""
    return bool(_handing(analysis, function, function.module_path))


def _handing(
    analysis: Analysis, function: Scope, path: str
) -> list[tuple[CallSite, list[ast.expr]]]:
    """The calls of a file that may be given a function, with the arguments that it may be."""
    node = function.node
    # What reads a property is handed its value.
    if isinstance(node, ast.FunctionDef) and "property" in classes.decorator_names(node):
        return []
    found = []
    for site in analysis.module(path).calls_given(function):
        given = tree.arguments(site.node)
        handed = [argument for argument in given if _may_be(argument, function, site)]
        if handed:
            found.append((site, handed))
    return found[:MOST_GIVEN]


def _may_be(argument: ast.expr, function: Scope, site: CallSite) -> bool:
    """Whether an argument, by its text, is a function, and no variable of the same name."""
    if argument is function.node:
        return True
    if isinstance(argument, ast.Attribute):
        return argument.attr == function.name
    if not isinstance(argument, ast.Name) or argument.id != function.name:
        return False
    return function.parent is site.scope or argument.id not in site.scope.bound


def calls_when_made(analysis: Analysis, function: Scope) -> list[CallSite]:
    """The calls, where an object of its class is made, that run a method: of `Scale(2.0)(x)`."""
    cls = classes.enclosing_class(function)
    if cls is None or function.name not in callgraph.CALLED_AS:
        return []
    found = []
    analysis.asked.add(cls.name)
    around = analysis.project.importers_naming(cls.module_path, cls.name)
    for path in (cls.module_path, *around[:MOST_GIVEN]):
        for made in analysis.calls_named(path, cls.name):
            if hasattr(made.statement, "body"):
                continue
            sites = analysis.module(path).scopes.call_sites
            found += [
                site
                for part in tree.walk(made.statement)
                if isinstance(part, ast.Call)
                and part.func is made.node
                and (site := sites.get(id(part))) is not None
                and any(t.function is function for t in callgraph.targets(analysis, site))
            ]
    return found


def calls_when_entered(analysis: Analysis, function: Scope) -> list[CallSite]:
    """The calls by which a `with` block makes what it enters, of the class of the method."""
    cls = classes.enclosing_class(function)
    if cls is None or function.name not in callgraph.ENTERING:
        return []
    analysis.asked.add(cls.name)
    around = analysis.project.importers_naming(cls.module_path, cls.name)
    return [
        site
        for path in (cls.module_path, *around[:MOST_GIVEN])
        for site in analysis.calls_named(path, cls.name)
        if isinstance(site.statement, (ast.With, ast.AsyncWith))
        and any(target.function is function for target in callgraph.targets(analysis, site))
    ]
