"""Which calls leave alone what they are given, and what they are made on, by their names."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.files import outline
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import last_name
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind

_HARMLESS = frozenset(
    (Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.VIEWS, Trait.PURE, Trait.PRINTS)
) | frozenset(
    (Trait.CASTS, Trait.SYNCS_HOST, Trait.RANDOM, Trait.READS_STATE, Trait.CREATES_DATASET)
)
WRITING = frozenset((Trait.WRITES_STATE, Trait.TRAINS, Trait.RUNS_SESSION))


def writes_by_name(name: str) -> bool:
    """Whether methods so named write to their object; in-place operations end in `_`."""
    if name.startswith("_"):
        return name in members.WRITING_OPERATORS
    return name in members.CHANGES or name.endswith("_")


def harmless_names(analysis: Analysis) -> frozenset[str]:
    """Last names that only callables have which leave their arguments as they are."""
    project = analysis.project
    return project.named(
        "harmless",
        lambda: project.trigger_names(_HARMLESS) - project.trigger_names(WRITING),
    )


def _harmless_members(analysis: Analysis) -> frozenset[str]:
    """Names after a dot that no method has which changes what it is called on, or is given.

    Functions of modules that change a state of their own (`tf.metrics.mean`) leave arrays alone;
    a module that is moved or cast again in each iteration stays what it was after the first.
    """
    project = analysis.project

    def find() -> frozenset[str]:
        writing = project.knowledge.method_names(WRITING) - members.CONVERSIONS
        return project.trigger_names(_HARMLESS) - writing - members.CHANGES

    return project.named("harmless members", find)


def is_harmless(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call goes by a harmless name that nothing in the project has."""
    name = last_name(site)
    is_member = isinstance(site.node.func, ast.Attribute)
    known = _harmless_members(analysis) if is_member else harmless_names(analysis)
    if name not in known or _is_of_function(site, name):
        return False
    return not outline.is_defined(analysis, site.scope.module_path, name)


def _is_of_function(site: CallSite, name: str) -> bool:
    """Whether what is called is a name that the function has: it was given it, or made it."""
    scope: Scope | None = site.scope
    while isinstance(site.node.func, ast.Name) and scope is not None:
        if scope.kind is ScopeKind.FUNCTION and name in scope.bound:
            return True
        scope = scope.parent
    return False
