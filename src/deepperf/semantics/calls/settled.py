"""Which calls of a function are never run when it is passed certain constants, or anything at all.

A function that is told to augment or not, by a flag, is two functions in one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty, all_of
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Branch, CallSite, Scope, parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Display, FunctionTerm, Instance, Literal, Object, Value

Settled: TypeAlias = frozenset[tuple[str, object]]
"""Parameters of a function, and the constants that they hold."""
NOTHING: Settled = frozenset()
_PLAIN = (bool, str, int, type(None))
_GIVEN = object()
"""Stands for what is not known, but that it is not None."""
_TRUE = object()
"""Stands for an object that counts as true besides: a model, a function."""


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
    defaults = _defaults(function)
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


def _defaults(function: Scope) -> dict[str, ast.expr]:
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return {}
    listed = [*node.args.posonlyargs, *node.args.args]
    optional = [one.arg for one in listed[len(listed) - len(node.args.defaults) :]]
    defaults = dict(zip(optional, node.args.defaults, strict=True))
    for keyword, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            defaults[keyword.arg] = default
    return defaults


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
    if held and all(_is_object(analysis, one) for one in held):
        return Literal(_TRUE, object)
    is_given = bool(held) and all(_is_something(analysis, one) for one in held)
    is_given = is_given or _is_unpacked(analysis, node, scope)
    return Literal(_GIVEN, object) if is_given else None


def _may_be_another(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether a call asks a method that classes which inherit it replace."""
    site = analysis.site_of(node, scope)
    return site is not None and any(
        classes.overriding(analysis, target.function)
        for target in callgraph.targets(analysis, site)
    )


def _is_something(analysis: Analysis, term: object) -> bool:
    """Whether it is certainly not None."""
    if isinstance(term, Literal):
        return term.value is not None
    if isinstance(term, Instance):
        return bool(term.type) or _is_loaded(analysis, term)
    return isinstance(term, Display) or _is_object(analysis, term)


def _is_object(analysis: Analysis, term: object) -> bool:
    """Whether it certainly counts as true: no text, number or container, which may be empty."""
    if isinstance(term, Instance):
        is_plain = term.type.startswith("builtins.")
        return _is_loaded(analysis, term) or (bool(term.type) and not is_plain)
    return isinstance(term, (FunctionTerm, Object))


def _is_loaded(analysis: Analysis, term: Instance) -> bool:
    """Whether it is what a call that makes or loads a model gives."""
    return isinstance(term.site, ast.Call) and has(
        callgraph.fact_of_call(analysis, term.site, term.scope), Trait.GIVES_MODEL
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


def are_run(analysis: Analysis, way: tuple[CallSite, ...]) -> Certainty:
    """Whether calls that lead one to the other are all run, for what they are passed.

    Unknown where that rests on an argument of which it is not known what it is.
    """
    answers = [
        is_run(analysis, following, known)
        for following, known in zip(way[1:], _along(analysis, way), strict=True)
    ]
    return all_of(answers)


def is_none(analysis: Analysis, node: ast.expr, way: tuple[CallSite, ...]) -> bool:
    """Whether an argument of the last of these calls is None, for what they are passed."""
    known = (NOTHING, *_along(analysis, way))[-1]
    constant = _constant(analysis, node, way[-1].scope, known)
    return constant is not None and constant.value is None


def _along(analysis: Analysis, way: tuple[CallSite, ...]) -> Iterator[Settled]:
    """What is settled in the function of each of these calls but the first."""
    known = NOTHING
    for site, following in pairwise(way):
        told = [
            by_call(analysis, site, target, known)
            for target in callgraph.targets(analysis, site)
            if target.function is following.scope
        ]
        known = told[0] if len(told) == 1 else NOTHING
        yield known


def is_left_out(analysis: Analysis, site: CallSite, known: Settled) -> bool:
    """Whether a call is not run, where its function is passed these constants."""
    return is_run(analysis, site, known) is Certainty.NO


def is_run(analysis: Analysis, site: CallSite, known: Settled) -> Certainty:
    """Whether a call is run, where its function is passed these constants.

    Conditions on other things than arguments are taken to hold.
    """
    return all_of(_holds(analysis, one, site, known) for one in _conditions(site))


def _holds(
    analysis: Analysis, condition: tuple[ast.expr, bool], site: CallSite, known: Settled
) -> Certainty:
    test, wanted = condition
    said = _decided(analysis, test, site.scope, known)
    if said is not None:
        return Certainty.YES if said is wanted else Certainty.NO
    node = site.scope.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return Certainty.YES
    given = {one.arg for one in parameters(node)} - {classes.receiver_name(site.scope)}
    is_open = any(isinstance(part, ast.Name) and part.id in given for part in tree.walk(test))
    return Certainty.UNKNOWN if is_open else Certainty.YES


def _conditions(site: CallSite) -> Iterator[tuple[ast.expr, bool]]:
    """The conditions under which a call is run, each with what it has to come to."""
    for frame in site.frames:
        if isinstance(frame.node, ast.If):
            yield frame.node.test, frame.branch is not Branch.ELSE
    for outer in tree.walk(site.statement):
        if isinstance(outer, ast.IfExp):
            if _is_in(site, outer.body):
                yield outer.test, True
            elif _is_in(site, outer.orelse):
                yield outer.test, False
        elif isinstance(outer, ast.BoolOp):
            place = next((n for n, part in enumerate(outer.values) if _is_in(site, part)), 0)
            yield from ((part, isinstance(outer.op, ast.And)) for part in outer.values[:place])
    body = getattr(site.scope.node, "body", None)
    for statement in body if isinstance(body, list) else ():
        if isinstance(statement, ast.If) and (statement.end_lineno or 0) < site.node.lineno:
            if isinstance(statement.body[-1], ast.Return):
                yield statement.test, False
            elif statement.orelse and isinstance(statement.orelse[-1], ast.Return):
                yield statement.test, True


def _is_in(site: CallSite, node: ast.expr) -> bool:
    return any(part is site.node for part in tree.walk(node))


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
        is_told = isinstance(test.ops[0], (ast.Eq, ast.NotEq)) and not any(
            one.value in (_GIVEN, _TRUE) for one in (first, second)
        )
        return (first.value == second.value) is isinstance(test.ops[0], ast.Eq) if is_told else None
    one = _constant(analysis, test, scope, known)
    return None if one is None or one.value is _GIVEN else bool(one.value)
