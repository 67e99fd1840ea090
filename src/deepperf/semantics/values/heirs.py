"""The classes of the project that inherit from a class."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import ClassTerm

_MOST_MODULES = 24
"""Modules that import a class, among which its heirs are looked for."""
_MOST_HEIRS = 8
"""Heirs up to which it is said that a base class may run what they define."""


def heirs(analysis: Analysis, cls: Scope) -> tuple[Scope, ...]:
    """The classes of its module that inherit from a class directly."""

    def find() -> tuple[Scope, ...]:
        return tuple(
            scope
            for scope in analysis.module_of(cls).classes_below(cls.name)
            if isinstance(scope.node, ast.ClassDef)
            and any(getattr(base, "id", None) == cls.name for base in scope.node.bases)
        )

    return analysis.remember(("heirs", cls), find, ())


def heirs_elsewhere(analysis: Analysis, cls: Scope) -> tuple[Scope, ...]:
    """The classes of other modules that inherit from a class directly; none where they are many."""

    def find() -> tuple[Scope, ...]:
        around = analysis.few_importers(cls.module_path, cls.name, _MOST_MODULES)
        found = tuple(
            scope
            for path in around or ()
            for scope in analysis.module(path).classes_below(cls.name)
            if isinstance(scope.node, ast.ClassDef)
            and scope.parent is not None
            and any(
                last_name(base) == cls.name
                and ClassTerm(cls) in values.evaluate(analysis, base, scope.parent)
                for base in scope.node.bases
            )
        )
        return found if len(found) <= _MOST_HEIRS else ()

    return analysis.remember(("heirs elsewhere", cls), find, ())


def descendants_anywhere(analysis: Analysis, cls: Scope) -> tuple[Scope, ...]:
    """The classes of the project below a class, each once, as far as they are few."""

    def find() -> tuple[Scope, ...]:
        found: list[Scope] = []
        pending = [cls]
        while pending:
            above = pending.pop()
            for heir in (*heirs(analysis, above), *heirs_elsewhere(analysis, above)):
                if heir is not cls and heir not in found:
                    found.append(heir)
                    pending.append(heir)
        return tuple(found)

    return analysis.remember(("heirs anywhere", cls), find, ())


def descendants(analysis: Analysis, cls: Scope, without: frozenset[str]) -> tuple[Scope, ...]:
    """The classes of its module below a class, each once; a name of `without` ends a line."""
    found: list[Scope] = []
    pending = [cls]
    while pending:
        for heir in heirs(analysis, pending.pop()):
            # Half-written classes may inherit from each other in a circle.
            if heir is not cls and heir not in found and without.isdisjoint(heir.bound):
                found.append(heir)
                pending.append(heir)
    return tuple(found)
