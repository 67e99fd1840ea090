"""Which operations of a traced function have state: random numbers, variables, tables, prints.

What a function does only while it is traced (Python's own prints and random numbers, attributes
it sets) leaves no operation behind and does not count.
"""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls import callgraph, decorated, effects, settled
from deepperf.semantics.calls.settled import Settled
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    NONE,
    Argument,
    Display,
    FunctionTerm,
    Instance,
    Method,
    Value,
)

Place = tuple[ast.expr, Scope]

_STATE = frozenset((Trait.RANDOM, Trait.READS_STATE, Trait.WRITES_STATE, Trait.PRINTS)) | {
    Trait.CALLS_PYTHON,
    Trait.CREATES_VARIABLE,
}


def stateful_places(analysis: Analysis, node: ast.expr, scope: Scope) -> tuple[Place, ...]:
    """Where the callable that `node` holds makes operations with state, callees included."""
    held = values.evaluate(analysis, node, scope)
    if _is_stateful(_traits_called(analysis, held)):
        return ((node, scope),)
    found: dict[Place, None] = {}
    targets = callgraph.targets_of(analysis, held)
    functions = [target.function for target in targets]
    if classes.is_of_own_object(node, scope):
        functions += [own for one in functions for own in classes.overriding(analysis, one)]
    for function in functions:
        known = settled.by_itself(analysis, held, function)
        found.update(dict.fromkeys(_in_function(analysis, function, known)))
    for target in targets:
        found.update(_in_preset(analysis, held, target))
    return tuple(found)


def _in_preset(analysis: Analysis, held: Value, target: callgraph.Target) -> dict[Place, None]:
    """The places in what `functools.partial` has given a function to call."""
    made = callgraph.partial_of(analysis, held) if len(held) == 1 else None
    if made is None or not isinstance(made.site, ast.Call):
        return {}
    preset = ast.Call(made.site.func, made.site.args[1:], made.site.keywords)
    given = callgraph.bound_arguments(preset, target)
    known = settled.by_itself(analysis, held, target.function)
    found: dict[Place, None] = {}
    for site in sorted(target.function.calls, key=lambda s: s.position):
        called = site.node.func
        if not isinstance(called, ast.Name) or called.id not in given:
            continue
        passed = values.evaluate(analysis, given[called.id], made.scope)
        if len(passed) == 1 and not settled.is_left_out(analysis, site, known):
            found.update(_in_given(analysis, site, passed, known))
    return found


def _in_function(
    analysis: Analysis, function: Scope, known: Settled = settled.NOTHING
) -> tuple[Place, ...]:
    return analysis.remember(
        ("stateful places", function, known),
        lambda: tuple(_find(analysis, function, known)),
        (),
    )


def _find(analysis: Analysis, function: Scope, known: Settled) -> dict[Place, None]:
    analysis.module_of(function)
    found: dict[Place, None] = {}
    for site in sorted(function.calls, key=lambda s: s.position):
        if settled.is_left_out(analysis, site, known):
            continue
        held = callgraph.callee(analysis, site)
        given = [term for term in held if isinstance(term, Argument)]
        if given and all(term.scope is not function for term in given):
            found.update(_in_given(analysis, site, held, known))
            continue
        traits = _traits_called(analysis, held)
        if _is_stateful(traits) and not (_is_on_own(held, function) or _is_pure(analysis, site)):
            found[site.node, function] = None
        if Trait.CALLS_PYTHON in traits or given:
            continue  # of a parameter that is called, what this caller passed is looked at there
        found.update(_in_called(analysis, site, held, known))
        run: list[callgraph.Target] = []
        for argument in tree.arguments(site.node):
            if isinstance(argument, (ast.Lambda, ast.Name, ast.Attribute)):
                run += callgraph.targets_of(
                    analysis, _functions_only(values.evaluate(analysis, argument, function))
                )
        for target in run:
            if target.function.name != "__init__":
                found.update(dict.fromkeys(_in_function(analysis, target.function)))
    found.update(dict.fromkeys(_state_read(analysis, function)))
    for wrapper in decorated.wrappers(analysis, function):
        found.update(dict.fromkeys(_in_function(analysis, wrapper)))
    return found


def _in_called(
    analysis: Analysis, site: CallSite, held: Value, known: Settled
) -> dict[Place, None]:
    """The places in the functions of the project that a call may run."""
    found: dict[Place, None] = {}
    for target in callgraph.targets_of(analysis, held):
        if target.function.name != "__init__":
            told = settled.by_call(analysis, site, target, known)
            found.update(dict.fromkeys(_in_function(analysis, target.function, told)))
    return found


def _in_given(analysis: Analysis, site: CallSite, held: Value, known: Settled) -> dict[Place, None]:
    """The places of what an object, or the function around, was given: of all that is seen.

    Which of several this one was given is not known, so all must have some.
    """
    found: dict[Place, None] = {}
    for term in held:
        if isinstance(term, Argument) or term == NONE:
            continue
        is_stateful = _is_stateful(_traits_called(analysis, (term,)))
        own: dict[Place, None] = {}
        if is_stateful and not _is_pure(analysis, site):
            own[site.node, site.scope] = None
        own |= _in_called(analysis, site, (term,), known)
        if not own:
            return {}
        found |= own
    return found


def _is_stateful(traits: frozenset[Trait]) -> bool:
    return Trait.ADDS_NODE in traits and not traits.isdisjoint(_STATE)


def _is_pure(analysis: Analysis, site: CallSite) -> bool:
    """Whether the call itself says that it has no state."""
    fact = callgraph.fact_at(analysis, site)
    said = fact and callgraph.role_argument(site.node, fact, ParameterRole.STATEFUL)
    return isinstance(said, ast.Constant) and said.value is False


def _functions_only(held: Value) -> Value:
    """The functions among the terms; none of what a parameter may hold."""
    if any(isinstance(term, Argument) for term in held):
        return ()
    return tuple(
        term
        for term in held
        if isinstance(term, FunctionTerm)
        or (isinstance(term, Method) and isinstance(term.function, FunctionTerm))
    )


def _is_on_own(held: Value, function: Scope) -> bool:
    """Whether it is a method of something that the function itself made, like a TensorArray."""
    return all(
        isinstance(term, Method)
        and isinstance(term.receiver, Instance)
        and term.receiver.site is not None
        and term.receiver.scope is function
        for term in held
    )


def _traits_called(analysis: Analysis, held: Value) -> frozenset[Trait]:
    """What calling does: a function of a framework, or a layer."""
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        return fact.traits
    if len(held) != 1 or not isinstance(held[0], Instance):
        return frozenset()
    layer = held[0]
    inner = _layers_listed(analysis, layer)
    if inner:
        return frozenset().union(*(_traits_called(analysis, part) for part in inner))
    known = analysis.knowledge.type(layer.type)
    return known.call_traits if known is not None else frozenset()


def _layers_listed(analysis: Analysis, model: Instance) -> list[Value]:
    """The layers that a model is made of by a list written out."""
    if not isinstance(model.site, ast.Call) or not model.site.args:
        return []
    listed = values.evaluate(analysis, model.site.args[0], model.scope)
    if len(listed) != 1 or not isinstance(listed[0], Display):
        return []
    display = listed[0]
    if not isinstance(display.node, (ast.List, ast.Tuple)):
        return []
    return [values.evaluate(analysis, part, display.scope) for part in display.node.elts]


def _state_read(analysis: Analysis, function: Scope) -> list[Place]:
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return []
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    found: list[Place] = []
    for part in (part for statement in body for part in tree.walk(statement)):
        if isinstance(part, ast.Subscript) and _looks_up(analysis, part, function):
            found.append((part, function))
        if isinstance(part, ast.Name):
            if part.id in function.bound or not isinstance(part.ctx, ast.Load):
                continue
        elif not (isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load)):
            continue
        held = values.evaluate(analysis, part, function)
        # What callers pass besides, or what is not known, may be a number as well.
        if held and all(
            isinstance(term, Instance) and effects.is_variable(analysis, term) for term in held
        ):
            found.append((part, function))
    return found


def _looks_up(analysis: Analysis, node: ast.Subscript, function: Scope) -> bool:
    """Whether it is an item of a table: `table[keys]`."""
    held = values.evaluate(analysis, node.value, function)
    names = [
        analysis.knowledge.method(term.type, "__getitem__")
        for term in held
        if isinstance(term, Instance) and term.type
    ]
    facts = [analysis.knowledge.fact(name) for name in names if name is not None]
    return len(facts) == len(held) > 0 and all(f and _is_stateful(f.traits) for f in facts)
