"""What models are told, to evaluate or to train, and what their methods do then."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import loops
from deepperf.semantics.models import chance, freezing
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import FunctionTerm, Instance, Method, Object
from deepperf.semantics.writes import attributes

_MODULE = "torch.nn.Module"


def is_told_before(site: CallSite, model: ast.expr) -> bool:
    """Whether a function tells a model to evaluate before the call, whatever others tell it.

    In the next turns of the loops around it, too.
    """
    name = tree.dotted(model)
    if not name:
        return False
    told = [
        one
        for one in site.scope.calls
        if last_name(one.node.func) in ("eval", "train")
        and isinstance(one.node.func, ast.Attribute)
        and tree.dotted(one.node.func.value) == name
    ]
    before = [one for one in told if one.position < site.position]
    last = max(before, key=lambda one: one.position, default=None)
    if last is None or not _evaluates(last) or not _stands_before(last, site):
        return False
    # Where a turn ends with training, the next begins with it, unless it is told again.
    within = [loop for loop in site.loops if loop not in last.loops]
    return not any(
        not _evaluates(one) and loop in one.loops for one in told for loop in within
    ) and not _is_bound_anew(site, name, last)


def _evaluates(site: CallSite) -> bool:
    if last_name(site.node.func) == "eval":
        return not site.node.args and not site.node.keywords
    return freezing.is_off(site.node.args)


def _stands_before(told: CallSite, site: CallSite) -> bool:
    """Whether all ways to a call lead past another."""
    return all(frame in site.frames for frame in told.frames)


def _is_bound_anew(site: CallSite, name: str, told: CallSite) -> bool:
    """Whether the name is given another model within the loops that are not told again."""
    root = name.partition(".")[0]
    return any(
        isinstance(part, ast.Name) and part.id == root and isinstance(part.ctx, ast.Store)
        for loop in site.loops
        if loop not in told.loops
        for part in tree.walk(loop.node)
    )


def asks_by_method(analysis: Analysis, site: CallSite) -> bool:
    """Whether a method of a module, told before to evaluate, asks its layers: `encode`, say."""
    function = site.node.func
    if not isinstance(function, ast.Attribute) or not is_told_before(site, function.value):
        return False
    methods = [term for term in callgraph.callee(analysis, site) if isinstance(term, Method)]
    if len(methods) != 1 or not isinstance(methods[0].function, FunctionTerm):
        return False
    run, receiver = methods[0].function.scope, methods[0].receiver
    return (
        isinstance(receiver, Object)
        and classes.inherits(analysis, receiver.cls, _MODULE)
        and any(_asks_layer(analysis, one) for one in run.calls)
        and effects.repeatable(analysis, site) is not Certainty.NO
        and not chance.draws(analysis, run)
        and not remembers(analysis, run)
    )


def _asks_layer(analysis: Analysis, site: CallSite) -> bool:
    function = site.node.func
    if not isinstance(function, ast.Attribute) or not classes.is_of_own_object(
        function, site.scope
    ):
        return False
    return any(
        isinstance(term, (Instance, Object)) and _MODULE in classes.instance_type(analysis, term)
        for term in values.evaluate(analysis, function, site.scope)
    )


def remembers(analysis: Analysis, function: Scope) -> bool:
    """Whether a method reads what it has set itself: the next call goes on from there."""
    kept = attributes.touched(analysis, function)
    return bool(kept) and not kept.isdisjoint(effects.attributes_read(analysis, function))


def trains_parts(analysis: Analysis, path: str) -> bool:
    """Whether parts of some model, its dropout mostly, are told to train: answers differ then."""
    module = analysis.module(path)
    return any("_dropout" in name for name in module.called_names) or any(
        not freezing.is_off(site.node.args)
        and isinstance(site.node.func, ast.Attribute)
        and isinstance(site.node.func.value, ast.Name)
        and (
            any(site.node.func.value.id in loops.targets(loop) for loop in site.loops)
            or _is_told_by_type(site, site.node.func.value.id)
        )
        for site in module.calls_named("train")
    )


def _is_told_by_type(site: CallSite, name: str) -> bool:
    """Whether a condition around a call asks of which type something is."""
    tests = [frame.node.test for frame in site.frames if isinstance(frame.node, ast.If)]
    return any(
        name in tree.names_in(test) and ("isinstance" in names or "type" in names)
        for test in tests
        for names in (tree.names_in(test),)
    )
