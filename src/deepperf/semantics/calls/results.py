"""What a call gives: what its function returns, the object that it makes, or what a fact says."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import applied, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import classes, elements, operators, values
from deepperf.semantics.values.terms import (
    UNKNOWN,
    ClassTerm,
    External,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
    Value,
    union,
)


def call_value(analysis: Analysis, call: ast.Call, scope: Scope) -> Value:
    """The terms that a call may give; an instance of no known type where nothing tells."""
    held = values.evaluate(analysis, call.func, scope)
    if isinstance(call.func, ast.Name) and call.func.id == "super":
        made = _super_value(analysis, scope)
        if made:
            return made
    found = applied.alike(held, [_result(analysis, term, call, scope) for term in held])
    return union(*found) if found else (Instance("", call, scope),)


def _super_value(analysis: Analysis, scope: Scope) -> Value:
    cls = classes.enclosing_class(scope)
    if cls is None:
        return ()
    found: list[Term] = []
    for base in classes.ancestors(analysis, cls)[1:]:
        if isinstance(base, Scope):
            return (Object(base),)
        found.append(Instance(base, None, scope))
    return tuple(found[:1])


def _result(analysis: Analysis, term: Term, call: ast.Call, scope: Scope) -> Value:
    if isinstance(term, FunctionTerm):
        return values.returned(analysis, term.scope)
    if isinstance(term, ClassTerm):
        return (Object(term.scope, call),)
    if isinstance(term, Method) and isinstance(term.function, FunctionTerm):
        return values.returned(analysis, term.function.scope)
    if isinstance(term, (External, Method)):
        function = term if isinstance(term, External) else term.function
        assert isinstance(function, External)
        return _external_result(analysis, function.name, term, call, scope)
    if isinstance(term, Object):
        run = callgraph.run_method(analysis, term.cls)
        if run is not None:
            return values.returned(analysis, run)
        for base in classes.instance_type(analysis, term):
            known = analysis.knowledge.type(base)
            if known is not None and known.call_returns:
                return (Instance(known.call_returns, call, scope),)
    if isinstance(term, Instance):
        inner = callgraph.wrapped(analysis, term)
        # Gradients are as many, and of such shapes, as what they are taken by.
        if inner and not _differentiates(analysis, term):
            return union(*(_result(analysis, part, call, scope) for part in inner))
        known = analysis.knowledge.type(term.type)
        if known is not None and known.call_returns:
            return (Instance(known.call_returns, call, scope),)
    return (Instance("", call, scope),)


def _external_result(
    analysis: Analysis, name: str, term: External | Method, call: ast.Call, scope: Scope
) -> Value:
    if name in ("builtins.iter", "builtins.list", "builtins.tuple", "builtins.sorted") and (
        call.args
    ):
        return values.evaluate(analysis, call.args[0], scope)
    if name in ("builtins.reversed", "copy.copy", "copy.deepcopy") and call.args:
        return values.evaluate(analysis, call.args[0], scope)
    if name == "builtins.abs" and call.args:
        held = operators.array_of(values.evaluate(analysis, call.args[0], scope), call, scope)
        return held if UNKNOWN not in held else (Instance("", call, scope),)
    if name == "builtins.next" and call.args:
        return elements.elements(analysis, values.evaluate(analysis, call.args[0], scope))
    if name == "builtins.dict.get" and isinstance(term, Method) and call.args:
        return elements.got(analysis, term.receiver, call.args[0])
    if name == "builtins.getattr" and len(call.args) >= 2:
        attribute = call.args[1]
        if isinstance(attribute, ast.Constant) and isinstance(attribute.value, str):
            held = values.evaluate(analysis, call.args[0], scope)
            read = ast.Attribute(call.args[0], attribute.value, ast.Load())
            return union(
                *(values.attribute_of(analysis, part, read, scope) for part in held),
                (UNKNOWN,),
            )
    given_back = applied.result(analysis, name, call, scope)
    if given_back:
        return given_back
    fact = analysis.knowledge.fact(name)
    if fact is not None and fact.returns:
        if fact.returns == "$0" and call.args:
            return values.evaluate(analysis, call.args[0], scope)
        if fact.returns == "$self" and isinstance(term, Method):
            return (term.receiver,)
        made = name.rpartition(".")[0] if fact.returns == "$class" else fact.returns
        return (Instance(made, call, scope),)
    if analysis.knowledge.type(name) is not None:
        return (Instance(name, call, scope),)
    return (Instance("", call, scope),)


def _differentiates(analysis: Analysis, term: Instance) -> bool:
    """Whether a function is, or wraps, one that gives gradients of what it was made of."""
    return any(
        isinstance(inner, Instance)
        and isinstance(inner.site, ast.Call)
        and has(
            callgraph.fact_of(analysis, values.evaluate(analysis, inner.site.func, inner.scope)),
            Trait.DIFFERENTIATES,
        )
        for inner in callgraph.opened(analysis, term)
    )
