"""Methods that a framework calls once for each step, or epoch, from loops of its own."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.knowledge.words import REQUEST_VERBS
from deepperf.semantics.calls import callers
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import (
    Branch,
    CallSite,
    Frame,
    Scope,
    ScopeKind,
    last_name,
    parameters,
)
from deepperf.semantics.values import classes

FARTHEST = 3
_SERVICER, _GENERATED = "Servicer", "_pb2_grpc"
"""How the names of gRPC's generated classes end, and those of their modules."""
_OF_EVENT = ("event", "context")
AGAIN = frozenset((Trait.RUNS_EACH_STEP, Trait.RUNS_EACH_ITEM, Trait.RUNS_EACH_EPOCH))
_ON_THE_WAY = AGAIN - {Trait.RUNS_EACH_ITEM}


def may_run_again(analysis: Analysis, function: Scope) -> bool:
    """Whether, by its name, a framework may call the function for each step or epoch."""
    return function.name in analysis.project.trigger_names(AGAIN)


def may_serve(analysis: Analysis, function: Scope) -> bool:
    """Whether, by names alone, a server may run the function for each request."""
    serving = analysis.project.trigger_names(frozenset((Trait.HANDLES_REQUEST,)))
    decorators = getattr(function.node, "decorator_list", ())
    named = [last_name(d.func if isinstance(d, ast.Call) else d) for d in decorators]
    if any(name in serving for name in named) or answers_events(function):
        return True
    cls = classes.enclosing_class(function)
    is_named = function.name.lower().startswith(REQUEST_VERBS) or function.name in serving
    return cls is not None and (is_named or _may_be_servicer(cls))


def _may_be_servicer(cls: Scope) -> bool:
    names = [last_name(base) or "" for base in getattr(cls.node, "bases", ())]
    return any(name.endswith(_SERVICER) for name in names)


def answers_remote_calls(analysis: Analysis, function: Scope) -> bool:
    """Whether gRPC runs a method for each call: of an heir of a class that it has generated.

    Such a method is given the request and its context.
    """
    cls, node = classes.enclosing_class(function), function.node
    if cls is None or isinstance(node, (ast.Module, ast.ClassDef)) or function.name.startswith("_"):
        return False
    if len(parameters(node)) != len(("self", "request", "context")):
        return False
    return any(_is_generated(base) for base in classes.ancestors(analysis, cls)[1:])


def answers_events(function: Scope) -> bool:
    """Whether a cloud runs a function for each event: it is given that and its context."""
    node, parent = function.node, function.parent
    if isinstance(node, (ast.Module, ast.ClassDef)) or parent is None:
        return False
    names = tuple(parameter.arg for parameter in parameters(node))
    return parent.kind is ScopeKind.MODULE and names == _OF_EVENT


def _is_generated(base: Scope | str) -> bool:
    if isinstance(base, str):
        module, _, name = base.rpartition(".")
    else:
        module, name = base.module_path.removesuffix(".py"), base.name
    return module.endswith(_GENERATED) and name.endswith(_SERVICER)


def is_each_epoch(analysis: Analysis, loop: Frame) -> bool:
    """Whether a loop stands for the epochs after, or before, which a framework calls a method."""
    return loop.node is loop.scope.node and _is_run(analysis, loop.scope, Trait.RUNS_EACH_EPOCH)


def _is_run(analysis: Analysis, function: Scope, *when: Trait) -> bool:
    if function.name not in analysis.project.trigger_names(frozenset(when)):
        return False
    cls = classes.enclosing_class(function)
    return cls is not None and any(
        has(analysis.knowledge.fact(f"{base}.{function.name}"), *when)
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
            if _is_run(analysis, scope, *_ON_THE_WAY):
                found.append((Frame(scope.node, Branch.BODY, scope), way))
                continue
            for site in callers.callers(analysis, scope):
                if site.scope not in seen:
                    seen.add(site.scope)
                    following.append((site.scope, (site, *way)))
        level = following
    return found
