"""Methods that a framework calls once for each step, from loops of its own."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callers
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, Scope
from deepperf.semantics.values import classes

FARTHEST = 3
_EACH_STEP = frozenset((Trait.RUNS_EACH_STEP,))


def may_run_each_step(analysis: Analysis, function: Scope) -> bool:
    """Whether, by its name, a framework may call the function once for each step."""
    return function.name in analysis.project.trigger_names(_EACH_STEP)


def runs_each_step(analysis: Analysis, function: Scope) -> bool:
    """Whether a framework calls the function once for each step that it takes."""
    if not may_run_each_step(analysis, function):
        return False
    cls = classes.enclosing_class(function)
    return cls is not None and any(
        (fact := analysis.knowledge.fact(f"{base}.{function.name}")) is not None
        and Trait.RUNS_EACH_STEP in fact.traits
        for base in classes.ancestors(analysis, cls)
        if isinstance(base, str)
    )


def paths(analysis: Analysis, function: Scope) -> tuple[tuple[Frame, tuple[CallSite, ...]], ...]:
    """The hooks that run a function, or that it is, each as a loop with the calls that lead on."""
    return analysis.remember(
        ("hook paths", function), lambda: tuple(_paths(analysis, function)), ()
    )


def _paths(analysis: Analysis, function: Scope) -> list[tuple[Frame, tuple[CallSite, ...]]]:
    found: list[tuple[Frame, tuple[CallSite, ...]]] = []
    seen = {function}
    level: list[tuple[Scope, tuple[CallSite, ...]]] = [(function, ())]
    for _ in range(FARTHEST):
        following: list[tuple[Scope, tuple[CallSite, ...]]] = []
        for scope, way in level:
            if isinstance(scope.node, (ast.Module, ast.ClassDef)):
                continue
            if runs_each_step(analysis, scope):
                found.append((Frame(scope.node, Branch.BODY, scope), way))
                continue
            for site in callers.callers(analysis, scope):
                if site.scope not in seen:
                    seen.add(site.scope)
                    following.append((site.scope, (site, *way)))
        level = following
    return found
