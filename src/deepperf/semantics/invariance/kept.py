"""Functions that a name or an attribute keeps: is it one in all turns, and what came with it.

`self.move = partial(advance, table)` in a constructor keeps a function and an array; the entry of
a table that is looked up by an unknown key is one of several functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, newness
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import steady
from deepperf.semantics.invariance.steadiness import AROUND, STAYS, UNKNOWN, Steadiness, together
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names import scopes
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import AttributeWrite, CallSite, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    Argument,
    Display,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
    Unknown,
    Value,
)
from deepperf.semantics.writes import parameters

_CALCULATING = (ast.BinOp, ast.UnaryOp, ast.Compare)


def may_be_kept(analysis: Analysis, site: CallSite) -> bool:
    """Whether, by the text, a call runs what an attribute was given to keep."""
    function = site.node.func
    if not isinstance(function, ast.Attribute):
        return False
    cls = classes.class_around(site.scope)
    if cls is not None and classes.is_of_own_object(function, site.scope):
        given = (write.value for write in classes.attribute_writes(analysis, cls, function.attr))
        return any(_may_be_function(value) for value in given)
    return function.attr in _kept_in(analysis, site.scope.module_path)


def _kept_in(analysis: Analysis, path: str) -> frozenset[str]:
    """The attributes that a file's methods give what may be functions, by no single name."""

    def find() -> frozenset[str]:
        return frozenset(
            write.attribute
            for scope in analysis.module(path).all_scopes
            for write in scope.attribute_writes
            if _may_be_function(write.value) and not isinstance(write.value, ast.Name)
        )

    nothing: frozenset[str] = frozenset()
    return analysis.remember(("kept in", path), find, nothing)


def _may_be_function(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return scopes.last_name(value.func) in ("partial", "get")
    return isinstance(value, (ast.Subscript, ast.IfExp, ast.Name, ast.Attribute))


def functions(analysis: Analysis, site: CallSite) -> Value:
    """The functions of the project of which an attribute keeps one; none where it may be others."""
    function = site.node.func
    if not isinstance(function, ast.Attribute):
        return ()
    held = [t for t in callgraph.callee(analysis, site) if not isinstance(t, (Argument, Unknown))]
    are_kept = all(_is_kept(analysis, term, function.attr) for term in held)
    return tuple(held) if are_kept else ()


def _is_kept(analysis: Analysis, term: Term, name: str) -> bool:
    """Whether it is a function that is not found by the name of a method."""
    if isinstance(term, Method):
        inner = term.function
        return isinstance(inner, FunctionTerm) and inner.scope.name != name
    if isinstance(term, FunctionTerm):
        return True
    return isinstance(term, Instance) and callgraph.partial_of(analysis, (term,)) is not None


def stays(analysis: Analysis, function: ast.expr, region: Region) -> Steadiness:
    """Whether a call finds the same function in each turn under the name that it is kept by."""
    scope = region.scope
    if not isinstance(function, ast.Name) or function.id in scope.bound | region.bound.keys():
        return steady.steady(analysis, function, region)
    definitions = values.definitions_of(analysis, function, scope)
    around = {definition.scope for definition in definitions}
    if len(around) != 1 or any(definition.loops for definition in definitions):
        return UNKNOWN
    outer = around.pop()
    if outer.kind is ScopeKind.MODULE or region.loop is not None:
        return STAYS
    if outer is not scope.parent:
        return UNKNOWN
    return Steadiness(STAYS.certainty, frozenset(((AROUND, function.id),)))


# What came with it


def own_receiver(analysis: Analysis, site: CallSite, target: callgraph.Target) -> ast.expr | None:
    """The object whose method a call runs that an attribute of the same object keeps."""
    function = site.node.func
    if not isinstance(function, ast.Attribute) or not isinstance(target.receiver, Object):
        return None
    writes = _writes(analysis, function, site.scope)
    own = (_is_own_method(analysis, one.value, one.scope) for one in writes)
    return function.value if writes and all(own) else None


def is_of_another(analysis: Analysis, site: CallSite, target: callgraph.Target) -> bool:
    """Whether a call runs a method of another object, which an attribute keeps by its own name."""
    function = site.node.func
    assert isinstance(function, ast.Attribute)
    return any(
        classes.method_of(analysis, term.cls, function.attr) is None
        for term in values.evaluate(analysis, function.value, site.scope)
        if isinstance(term, Object)
        and classes.attribute_writes(analysis, term.cls, function.attr)
        and target.function.name == function.attr
    )


def _writes(analysis: Analysis, function: ast.Attribute, scope: Scope) -> list[AttributeWrite]:
    """Where the objects of which an attribute is read are given it, all in methods of their own."""
    found: list[AttributeWrite] = []
    for term in values.evaluate(analysis, function.value, scope):
        if isinstance(term, Object):
            found += classes.attribute_writes(analysis, term.cls, function.attr)
        elif not isinstance(term, (Argument, Unknown)):
            return []
    return found


def _is_own_method(analysis: Analysis, value: ast.expr | None, scope: Scope) -> bool:
    """Whether a method gives methods of its own object, perhaps from a table of them."""
    if isinstance(value, ast.IfExp):
        return all(_is_own_method(analysis, one, scope) for one in (value.body, value.orelse))
    if isinstance(value, ast.Attribute):
        return classes.is_of_own_object(value, scope) and all(
            isinstance(term, Method) for term in values.evaluate(analysis, value, scope)
        )
    if isinstance(value, ast.Call) and scopes.last_name(value.func) == "get":
        table = value.func.value if isinstance(value.func, ast.Attribute) else None
    else:
        table = value.value if isinstance(value, ast.Subscript) else None
    if table is None:
        return False
    held = values.evaluate(analysis, table, scope)
    return bool(held) and all(
        isinstance(term, Display)
        and isinstance(term.node, ast.Dict)
        and classes.class_around(term.scope) is classes.class_around(scope)
        and all(
            isinstance(one, ast.Attribute) and _is_own_method(analysis, one, term.scope)
            for one in term.node.values
        )
        for term in held
    )


def given_before(
    analysis: Analysis, name: str, site: CallSite, target: callgraph.Target, region: Region
) -> Steadiness:
    """Whether what `partial` gave a kept function for a parameter is the same in each turn."""
    made = callgraph.partials_for(analysis, site, target)
    if len(made) != 1 or name in parameters.touched(analysis, target.function):
        return UNKNOWN
    argument, scope = callgraph.passed(analysis, site, target)[name]
    function = site.node.func
    answers = [stays(analysis, function, region)]
    if _gives_new(analysis, argument, scope):
        return together(answers)
    if not isinstance(function, ast.Attribute):
        return UNKNOWN
    writes = _writes(analysis, function, site.scope)
    own = classes.receiver_name(scope)
    # What the object was given it is known to hold only where one of its methods gave it that.
    if own is None or not any(one.scope is scope for one in writes):
        return UNKNOWN
    if (chain := tree.chain_of(argument)) is not None and chain[0] == own and len(chain) > 1:
        return together((*answers, _read(analysis, function.value, chain[1:], region)))
    others = list(_uses(analysis, argument, scope, made[0].site))
    if not isinstance(argument, ast.Name) or None in others:
        return UNKNOWN
    kept = (_read(analysis, function.value, (one,), region) for one in others if one)
    return together((*answers, *kept))


def _read(
    analysis: Analysis, owner: ast.expr, names: tuple[str, ...], region: Region
) -> Steadiness:
    for name in names:
        owner = ast.Attribute(owner, name, ast.Load())
    return steady.steady(analysis, owner, region)


def _gives_new(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression makes, there and then, what nobody else has."""
    if isinstance(node, ast.Constant) or newness.makes_new(analysis, node, scope):
        return True
    if not isinstance(node, ast.Call):
        return False
    held = values.evaluate(analysis, node.func, scope)
    made = [term.scope for term in held if isinstance(term, FunctionTerm)]
    return len(made) == len(held) > 0 and all(_returns_new(analysis, one) for one in made)


def _returns_new(analysis: Analysis, function: Scope) -> bool:
    def find() -> bool:
        analysis.module_of(function)
        return bool(function.returns) and all(
            _gives_new(analysis, one, function) or _is_made(analysis, one, function)
            for one in function.returns
        )

    return analysis.remember(("returns new", function), find, otherwise=False)


def _is_made(analysis: Analysis, node: ast.expr, function: Scope) -> bool:
    """Whether a name of a function leads to what it has just made."""
    if not isinstance(node, ast.Name):
        return False
    definitions = values.definitions_of(analysis, node, function)
    return bool(definitions) and all(
        one.scope is function and newness.is_new(analysis, one) for one in definitions
    )


def _uses(
    analysis: Analysis, argument: ast.expr, scope: Scope, made: ast.expr | None
) -> Iterator[str | None]:
    """What else keeps a name's object in a function: attributes of its own object, "" for nothing.

    None where it may be kept elsewhere, or was not given to the function or made by it.
    """
    if not isinstance(argument, ast.Name):
        return
    definitions = values.definitions_of(analysis, argument, scope)
    if len(definitions) != 1 or definitions[0].scope is not scope:
        yield None
        return
    value = definitions[0].value
    is_given = definitions[0].binding is Binding.PARAMETER
    if not is_given and (value is None or not _gives_new(analysis, value, scope)):
        yield None
    own, parents = classes.receiver_name(scope), analysis.parents_in(scope)
    whole = {id(part) for part in tree.walk(made)} if made is not None else set()
    for part in tree.walk(scope.node):
        if not isinstance(part, ast.Name) or part.id != argument.id or id(part) in whole:
            continue
        around = parents.get(id(part))
        if isinstance(part.ctx, ast.Store) or isinstance(around, _CALCULATING):
            continue
        if isinstance(around, ast.Assign) and around.value is part:
            chains = [tree.chain_of(target) for target in around.targets]
            yield from (c[1] if c and c[0] == own and len(c) == 2 else None for c in chains)
        elif not (isinstance(around, ast.Call) and _computes(analysis, around, scope)):
            yield None


def _computes(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    fact = callgraph.fact_of_call(analysis, call, scope)
    return fact is not None and Trait.COMPUTES in fact.traits and Trait.VIEWS not in fact.traits
