"""Which calls of a function are never run when it is given certain constants, or anything at all.

A function that is told to augment or not, by a flag, is two functions in one.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TypeAlias

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Branch, CallSite, Scope, parameters
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Display, FunctionTerm, Instance, Literal, Value

Settled: TypeAlias = frozenset[tuple[str, object]]
"""Parameters of a function, and the constants that they hold."""
NOTHING: Settled = frozenset()
_PLAIN = (bool, str, int, type(None))
_GIVEN = object()
"""Stands for what is not known, but that it is not None."""
_LEAVING = (ast.Return, ast.Raise)


def by_call(
    analysis: Analysis, site: CallSite, target: callgraph.Target, known: Settled
) -> Settled:
    """What a call, in a function of which some is known, settles in what it runs."""
    if callgraph.has_unpacked_arguments(site.node):
        return NOTHING
    given = callgraph.bound_arguments(site.node, target)
    return _with_defaults(analysis, given, site.scope, known, target.function)


def by_itself(analysis: Analysis, held: Value, function: Scope) -> Settled:
    """What is settled in a function that is given elements: by `partial`, or left out."""
    made = callgraph.partial_of(analysis, held) if len(held) == 1 else None
    given: dict[str, ast.expr] = {}
    scope = function
    if made is not None and isinstance(made.site, ast.Call):
        given = {word.arg: word.value for word in made.site.keywords if word.arg is not None}
        scope = made.scope
    return _with_defaults(analysis, given, scope, NOTHING, function)


def _with_defaults(
    analysis: Analysis,
    given: dict[str, ast.expr],
    scope: Scope,
    known: Settled,
    function: Scope,
) -> Settled:
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return NOTHING
    listed = [*node.args.posonlyargs, *node.args.args]
    optional = [one.arg for one in listed[len(listed) - len(node.args.defaults) :]]
    defaults = dict(zip(optional, node.args.defaults, strict=True))
    for keyword, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            defaults[keyword.arg] = default
    names = {one.arg for one in parameters(node)}
    # Defaults stand where the function is defined, which may be in another file.
    outer = function.parent or function
    told = {
        name: _constant(analysis, value, outer, NOTHING)
        for name, value in defaults.items()
        if name not in given
    }
    told |= {name: _constant(analysis, value, scope, known) for name, value in given.items()}
    return frozenset(
        (name, constant.value)
        for name, constant in told.items()
        if name in names and constant is not None
    )


def _constant(analysis: Analysis, node: ast.expr, scope: Scope, known: Settled) -> Literal | None:
    if isinstance(node, ast.Name) and _is_parameter(analysis, node, scope):
        given = [value for name, value in known if name == node.id]
        return Literal(given[0], type(given[0])) if given else None
    if _may_be_another(analysis, node, scope):
        return None
    held = values.evaluate(analysis, node, scope)
    term = held[0] if len(held) == 1 else None
    if isinstance(term, Literal) and isinstance(term.value, _PLAIN):
        return term
    is_given = bool(held) and all(_is_something(one) for one in held)
    is_given = is_given or _is_unpacked(analysis, node, scope)
    return Literal(_GIVEN, object) if is_given else None


def _may_be_another(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether a call asks a method that classes which inherit it replace."""
    site = analysis.site_of(node, scope)
    return site is not None and any(
        classes.overriding(analysis, target.function)
        for target in callgraph.targets(analysis, site)
    )


def _is_something(term: object) -> bool:
    """Whether it is certainly not None."""
    if isinstance(term, Literal):
        return term.value is not None
    return isinstance(term, (Display, FunctionTerm)) or (
        isinstance(term, Instance) and bool(term.type)
    )


def _is_unpacked(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is one of several things that a call gives, and not known to be None."""
    if not isinstance(node, ast.Name) or any(
        isinstance(term, Literal) and term.value is None
        for term in values.evaluate(analysis, node, scope)
    ):
        return False
    found = values.definitions_of(analysis, node, scope)
    return bool(found) and all(
        one.binding is Binding.ASSIGNED and bool(one.unpacking) and isinstance(one.value, ast.Call)
        for one in found
    )


def _is_parameter(analysis: Analysis, node: ast.Name, scope: Scope) -> bool:
    """Whether a name holds what its function was given, and nothing that it made itself."""
    found = values.definitions_of(analysis, node, scope)
    return bool(found) and all(
        one.binding is Binding.PARAMETER and one.scope is scope for one in found
    )


def is_cut(analysis: Analysis, way: tuple[CallSite, ...]) -> bool:
    """Whether calls that lead one to the other are not all run, for what they are given."""
    known = NOTHING
    for site, following in pairwise(way):
        told = [
            by_call(analysis, site, target, known)
            for target in callgraph.targets(analysis, site)
            if target.function is following.scope
        ]
        known = told[0] if len(told) == 1 else NOTHING
        if is_left_out(analysis, following, known):
            return True
    return False


def is_left_out(analysis: Analysis, site: CallSite, known: Settled) -> bool:
    """Whether a call is not run, where its function is given these constants."""
    if not known:
        return False
    for frame in site.frames:
        if isinstance(frame.node, ast.If):
            said = _decided(analysis, frame.node.test, site.scope, known)
            if said is not None and said is (frame.branch is Branch.ELSE):
                return True
    body = getattr(site.scope.node, "body", None)
    return isinstance(body, list) and any(
        _leaves(analysis, statement, site, known) for statement in body
    )


def _leaves(analysis: Analysis, statement: ast.stmt, site: CallSite, known: Settled) -> bool:
    """Whether the function has ended with a statement before the call is reached."""
    if not isinstance(statement, ast.If) or (statement.end_lineno or 0) >= site.node.lineno:
        return False
    said = _decided(analysis, statement.test, site.scope, known)
    taken = [] if said is None else statement.body if said else statement.orelse
    return bool(taken) and isinstance(taken[-1], _LEAVING)


def _decided(analysis: Analysis, test: ast.expr, scope: Scope, known: Settled) -> bool | None:
    """What a condition comes to; None where that is not settled."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        said = _decided(analysis, test.operand, scope, known)
        return None if said is None else not said
    if isinstance(test, ast.BoolOp):
        parts = [_decided(analysis, part, scope, known) for part in test.values]
        ending = isinstance(test.op, ast.Or)
        if ending in parts:
            return ending
        return None if None in parts else not ending
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        first = _constant(analysis, test.left, scope, known)
        second = _constant(analysis, test.comparators[0], scope, known)
        if first is None or second is None:
            return None
        if isinstance(test.ops[0], (ast.Is, ast.IsNot)) and second.value is None:
            return (first.value is None) is isinstance(test.ops[0], ast.Is)
        is_told = isinstance(test.ops[0], (ast.Eq, ast.NotEq)) and _GIVEN not in (
            first.value,
            second.value,
        )
        return (first.value == second.value) is isinstance(test.ops[0], ast.Eq) if is_told else None
    one = _constant(analysis, test, scope, known)
    return None if one is None or one.value is _GIVEN else bool(one.value)
