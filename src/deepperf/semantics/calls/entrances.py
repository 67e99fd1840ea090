"""By which methods a project is used from outside: nobody knows how often they are called."""

from __future__ import annotations

import ast

from deepperf.records import Role
from deepperf.semantics.calls import callers
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes

FARTHEST = 4
"""Calls between a method that is called from outside and a function that it leads to."""


def is_asked_from_outside(analysis: Analysis, function: Scope) -> bool:
    """Whether calls of public methods, or of methods handed on to be called, lead to a function.

    One such method is enough for a method; a function of a module serves two at least, if it is
    no part of one program only.
    """
    enough = 1 if classes.enclosing_class(function) is not None else 2
    return sum(is_entrance(analysis, scope) for scope in tops(analysis, function)) >= enough


def is_only_asked_from_outside(analysis: Analysis, function: Scope) -> bool:
    """Whether nothing else leads to it."""
    leading = tops(analysis, function)
    return bool(leading) and all(is_entrance(analysis, scope) for scope in leading)


def tops(analysis: Analysis, function: Scope) -> list[Scope]:
    """The functions that lead to one and that nothing in the project calls."""
    level, seen, found = [function], {function}, []
    for _ in range(FARTHEST):
        following: list[Scope] = []
        for scope in level:
            calling = _known_callers(analysis, scope)
            if not calling:
                found.append(scope)
            following += [other for other in calling if other not in seen]
            seen.update(calling)
        level = following
    return found


def _known_callers(analysis: Analysis, function: Scope) -> list[Scope]:
    # Tests, and what a file shows of itself when it is run, say nothing about those who use it.
    known = dict.fromkeys(site.scope for site in callers.callers(analysis, function))
    return [
        scope
        for scope in known
        if scope.kind is not ScopeKind.MODULE
        and analysis.project.sources[scope.module_path].role is not Role.TEST
    ]


def is_entrance(analysis: Analysis, method: Scope) -> bool:
    """Whether what nothing in the project calls is a method, there to be called by others."""
    name = method.name
    if classes.enclosing_class(method) is None:
        return False
    return not name.startswith("_") or name == "__call__" or is_handed_on(analysis, method)


def is_handed_on(analysis: Analysis, method: Scope) -> bool:
    """Whether a method of an object is given to something that calls it."""
    module = analysis.module_of(method)
    if module.source.text.count(method.name) < 2:
        return False
    return any(
        isinstance(argument, ast.Attribute) and argument.attr == method.name
        for scope in module.all_scopes
        for site in scope.calls
        for argument in tree.arguments(site.node)
    )
