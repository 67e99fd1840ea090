"""Work that a method does again in each step, which a framework calls in a loop of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.semantics.calls import hooks
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import attributes, inner_work, regions, repetition
from deepperf.semantics.loops.repetition import Repeated
from deepperf.semantics.loops.steadiness import AROUND, Needs
from deepperf.semantics.models import frozen, learning
from deepperf.semantics.names.scopes import Branch, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes

_EARLY = ("__init__", "__post_init__")


def step_hooks(analysis: Analysis, path: str) -> Iterator[Frame]:
    """The methods in a file that a framework calls again and again, each as a loop.

    It does for each step, for each item of a data set, or for each epoch.
    """
    named = analysis.project.trigger_names(hooks.AGAIN)
    for scope in analysis.module(path).all_scopes:
        if (scope.name in named and hooks.runs_again(analysis, scope)) or _is_closure(scope):
            yield Frame(scope.node, Branch.BODY, scope)


def _is_closure(function: Scope) -> bool:
    """Whether an optimizer runs the function, once or more in each step: `optimizer.step(f)`."""
    return (
        isinstance(function.node, ast.FunctionDef)
        and function.parent is not None
        and any(
            last_name(site.node.func) == "step"
            and [getattr(one, "id", "") for one in tree.arguments(site.node)] == [function.name]
            for site in function.parent.calls
        )
    )


def repeated_work(analysis: Analysis, hook: Frame) -> tuple[Repeated, ...]:
    """What a hook does in each step, of what its object has held since it was made.

    What several hooks of an object do is told of the first of them.
    """
    function = hook.scope
    told: set[int] = set()
    for other in step_hooks(analysis, function.module_path):
        if other.scope is function:
            break
        if other.scope.parent is function.parent:
            told.update(id(work.operation.node) for work in _repeated(analysis, other.scope))
    found = _repeated(analysis, function)
    return tuple(work for work in found if id(work.operation.node) not in told)


def _repeated(analysis: Analysis, function: Scope) -> tuple[Repeated, ...]:
    is_closure = _is_closure(function)
    if not is_closure and classes.receiver_name(function) is None:
        return ()
    region = regions.region_of_function(analysis, function)
    found: dict[int, Repeated] = {}
    # Of what an epoch does only what goes through a whole model is felt beside its steps.
    is_of_epochs = hooks.is_each_epoch(analysis, Frame(function.node, Branch.BODY, function))
    for inner in inner_work.work_of(analysis, function):
        if is_of_epochs and frozen.asked(analysis, inner.operation) is None:
            continue
        if is_closure and not repetition.stays_in_training(analysis, inner.operation, region):
            continue
        lasts = all_last(analysis, function, inner.needed)
        if lasts and not inner.demands.given and not inner.demands.absent:
            places = (*inner.way, inner.operation)
            own = Repeated(places[0], inner.way[1:], inner.operation)
            found.setdefault(id(places[0].statement), own)
    return tuple(found.values())


def all_last(analysis: Analysis, hook: Scope, needs: Needs) -> bool:
    """Whether all that a method needs is what its object has held since it was made."""
    if _is_closure(hook):
        return all(chain[0] == AROUND for chain in needs)
    cls = classes.enclosing_class(hook)
    receiver = classes.receiver_name(hook)
    lasts = _is_left if hooks.gives_items(analysis, hook) else _lasts
    return cls is not None and all(
        len(chain) > 1 and chain[0] == receiver and lasts(analysis, cls, chain[1])
        for chain in needs
    )


def _is_left(analysis: Analysis, cls: Scope, name: str) -> bool:
    """Whether an object is given an attribute where it is made, and its methods leave it alone."""
    found = classes.attribute_writes(analysis, cls, name)
    return bool(found) and all(
        method.name in _EARLY or name not in attributes.touched(analysis, method)
        for method in classes.methods_of(cls).values()
    )


def _lasts(analysis: Analysis, cls: Scope, name: str) -> bool:
    """Whether an object is given an attribute where it is made, and no step changes that.

    A step trains: models and parameters are not the same in the next.
    """
    found = classes.attribute_writes(analysis, cls, name)
    return bool(found) and all(
        write.scope.name in _EARLY
        and write.value is not None
        and (
            _is_buffer(write.value, write.scope)
            or learning.is_constant_data(analysis, write.value, write.scope)
            or frozen.is_kept_frozen(analysis, write.value, write.scope)
        )
        for write in found
    )


def _is_buffer(value: ast.expr, scope: Scope) -> bool:
    """Whether a module of PyTorch is given an array to keep that is no parameter of it."""
    return any(
        last_name(site.node.func) == members.BUFFER_REGISTRATION and value in site.node.args
        for site in scope.calls
    )
