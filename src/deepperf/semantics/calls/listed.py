"""Functions, and objects that are called, which stand in a list or dict that others go through."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.listed import Listing, calls_in_turn
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text.wording import picked_from
from deepperf.semantics.values import classes
from deepperf.semantics.values.terms import Object

MOST_HOLDERS = 8
_NEVER_LISTED = ("<lambda>", "__init__")
"""Names that stand in no list: of what has no name, and of what its class's name calls."""


def is_listed(analysis: Analysis, function: Scope) -> bool:
    """Whether, by its text, the function's own file has it, or an object of it, in a list."""
    module = analysis.module_of(function)
    if function.name == "<lambda>":
        return bool(module.listing(id(function.node)))
    name = _name_in_lists(function)
    return name is not None and (
        analysis.project.texts.may_list(function.module_path, name) and bool(module.listing(name))
    )


def calls_as_item(analysis: Analysis, function: Scope) -> list[CallSite]:
    """The calls of what loops take from such lists, or an index picks, that run the function."""
    found: dict[CallSite, None] = {}
    for listing, path in _listings(analysis, function):
        for site in _calls_of_its_items(analysis, listing, path):
            if any(t.function is function for t in callgraph.targets(analysis, site)):
                found[site] = None
    return list(found)


def _calls_of_its_items(analysis: Analysis, listing: Listing, path: str) -> Iterator[CallSite]:
    if listing.loop is not None:
        yield from calls_in_turn(listing.loop)
    for holder, held in _holders(analysis, listing, path):
        yield from _calls_of_items(analysis, holder, held)


def loops_repeating(analysis: Analysis, site: CallSite) -> tuple[Frame, ...]:
    """The loops around a call that run the function it calls again.

    One that goes over functions, and calls each, runs each once, unless it goes over more within.
    """
    around = site.loops
    if not around or not isinstance(site.node.func, ast.Name):
        return around
    called = site.node.func.id
    going_over = tuple(
        loop
        for loop in around
        if called in loops.targets(loop) and len(getattr(loop.node, "generators", ())) < 2
    )
    if not going_over or any(isinstance(t, Object) for t in callgraph.callee(analysis, site)):
        return around
    return tuple(loop for loop in around if loop not in going_over)


def _listings(analysis: Analysis, function: Scope) -> Iterator[tuple[Listing, str]]:
    """The displays that have a function, or an object of it, as an item, with their files."""
    home = function.module_path
    if function.name == "<lambda>":
        for listing in analysis.module(home).listing(id(function.node)):
            yield listing, home
    name = _name_in_lists(function)
    if name is None:
        return
    analysis.asked.add(name)
    around = analysis.project.importers_naming(home, name)
    for path in (home, *around[:MOST_HOLDERS]):
        analysis.touched.add(path)
        if analysis.project.texts.may_list(path, name):
            for listing in analysis.module(path).listing(name)[:MOST_HOLDERS]:
                yield listing, path


def _name_in_lists(function: Scope) -> str | None:
    """The name by which a list would hold it: its class's, where its objects are called."""
    cls = classes.enclosing_class(function)
    if cls is not None and function.name in callgraph.CALLED_AS:
        return cls.name
    return None if function.name in _NEVER_LISTED else function.name


def _holders(analysis: Analysis, listing: Listing, path: str) -> Iterator[tuple[str, str]]:
    """The files that know a list, with the names that they have for it."""
    names = [(path, name) for name in listing.names]
    if listing.given_to is not None:
        for target in callgraph.targets(analysis, listing.given_to):
            given = callgraph.bound_arguments(listing.given_to.node, target)
            names += [
                (target.function.module_path, name)
                for name, argument in given.items()
                if argument is listing.node
            ]
    for home, name in names:
        analysis.asked.add(name)
        importing = analysis.project.importers_naming(home, name)[:MOST_HOLDERS]
        analysis.touched.update(importing)
        for holder in (home, *importing):
            yield holder, name
            for renamed in analysis.module(holder).renamings.get(name, ()):
                yield holder, renamed


def _calls_of_items(analysis: Analysis, path: str, name: str) -> Iterator[CallSite]:
    """The calls, by name alone, of what is taken from something of the name."""
    module = analysis.module(path)
    yield from module.calls_of_items(name)
    for picked in sorted(picked_from(module.source.text, name)):
        yield from (s for s in module.calls_named(picked) if isinstance(s.node.func, ast.Name))
