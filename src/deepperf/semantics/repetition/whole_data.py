"""Data that a training makes a tensor of anew in each step, to run its model on all of it."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import regions
from deepperf.semantics.models import learning
from deepperf.semantics.names.scopes import CallSite, Frame, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    Argument,
    Display,
    External,
    Instance,
    Object,
    Term,
    Unknown,
)

_MODEL = "torch.nn.Module"
_WHOLE = (_MODEL, "torch.nn.Sequential")
_OWN_CALLS = frozenset(("parameters", "train", "zero_grad"))
"""Methods that, in a training, are called of the model."""
_LISTS = ("builtins.list", "builtins.tuple")


def is_fed(analysis: Analysis, site: CallSite) -> bool:
    """Whether a step of a training makes a tensor of data, and asks the model about all of it.

    An array that stays where it is takes a moment.
    """
    if not _may_be_fed(site) or not has(callgraph.fact_at(analysis, site), Trait.CONVERTS):
        return False
    loop = site.loops[-1]
    if not learning.learns(analysis, regions.region_of_loop(analysis, loop)):
        return False
    if not goes_by_numbers(analysis, site) and not _is_moved(analysis, site):
        return False
    names = _names_of(site)
    return any(
        _asks(analysis, other, loop)
        and any(_holds(given, site, names) for given in tree.arguments(other.node))
        for other in site.scope.calls
        if other is not site and loop in other.frames
    )


def goes_by_numbers(analysis: Analysis, site: CallSite) -> bool:
    """Whether a conversion is given a list, which it goes through number by number."""
    given = values.evaluate(analysis, site.node.args[0], site.scope)
    return any(_is_list(term) for term in given)


def _may_be_fed(site: CallSite) -> bool:
    """Whether, by its text, a call in a loop may convert data that has a name."""
    given = site.node.args
    return bool(site.loops) and bool(given) and isinstance(given[0], (ast.Name, ast.Attribute))


def _is_moved(analysis: Analysis, site: CallSite) -> bool:
    """Whether what a conversion makes may be copied to a device in the same turn."""
    return any(
        _names_device(analysis, other) and _is_of(other, site)
        for other in site.scope.calls
        if site.loops[-1] in other.frames
    )


def _names_device(analysis: Analysis, move: CallSite) -> bool:
    """Whether a method moves a tensor, and does not only cast it: `x.to(device)`."""
    name, given = last_name(move.node.func), tree.argument(move.node, 0, "device")
    if name == "cuda" or given is None:
        return name == "cuda"
    held = values.evaluate(analysis, given, move.scope)
    return name == "to" and not all(isinstance(term, External) for term in held)


def _holds(node: ast.expr, site: CallSite, names: set[str]) -> bool:
    """Whether an expression is what the call made, by its name too, and moved or cast perhaps."""
    while (
        node is not site.node
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in members.CONVERSIONS
    ):
        node = node.func.value
    return node is site.node or (isinstance(node, ast.Name) and node.id in names)


def _is_of(move: CallSite, site: CallSite) -> bool:
    """Whether a method is called of what a conversion made."""
    function = move.node.func
    return isinstance(function, ast.Attribute) and _holds(function.value, site, _names_of(site))


def _names_of(site: CallSite) -> set[str]:
    """The names that an assignment gives to what the call makes."""
    statement = site.statement
    if not isinstance(statement, ast.Assign):
        return set()
    value, target = statement.value, statement.targets[0]
    if isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return tree.names_in(*(one for one, part in pairs if _holds(part, site, set())))
    return tree.names_in(target) if _holds(value, site, set()) else set()


def _asks(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether a call runs what the function around trains, or calls a model."""
    chain = tree.chain_of(site.node.func)
    if chain is None:
        return False
    held = callgraph.callee(analysis, site)
    if not all(_may_be_model(analysis, term) for term in held):
        return False
    if chain[-1] in members.MODELS or any(map(_is_whole_model, held)):
        return True
    return any(
        isinstance(function := other.node.func, ast.Attribute)
        and function.attr in _OWN_CALLS
        and tree.chain_of(function.value) == chain
        for other in loop.scope.calls
    )


def _may_be_model(analysis: Analysis, term: Term) -> bool:
    if isinstance(term, (Instance, Object)):
        return _MODEL in classes.instance_type(analysis, term)
    return isinstance(term, (Argument, Unknown))


def _is_whole_model(term: Term) -> bool:
    """Whether it is a module of the project, or one of any kind: others may be losses."""
    return isinstance(term, Object) or (isinstance(term, Instance) and term.type in _WHOLE)


def _is_list(term: Term) -> bool:
    if isinstance(term, Display):
        return isinstance(term.node, (ast.List, ast.Tuple, ast.ListComp))
    return isinstance(term, Instance) and term.type in _LISTS
