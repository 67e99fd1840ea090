"""What calling a function does besides returning, and on what else its result rests."""

from __future__ import annotations

import ast
import enum

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph, decorated, newness
from deepperf.semantics.files import outline
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    ARRAY_TYPES,
    Argument,
    ClassTerm,
    External,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
    Unknown,
    Value,
)


class Effect(enum.Enum):
    """Something a call does, or rests on, besides its arguments and result."""

    RANDOM = "random"
    READS_STATE = "reads-state"
    READS_VARIABLE = "reads-variable"
    WRITES_STATE = "writes-state"
    PRINTS = "prints"
    READS_FILE = "reads-file"
    CALLS_PYTHON = "calls-python"
    SYNCS_HOST = "syncs-host"
    TRAINS = "trains"
    UNKNOWN = "unknown"


_OF_TRAIT = {
    Trait.RANDOM: Effect.RANDOM,
    Trait.READS_STATE: Effect.READS_STATE,
    Trait.WRITES_STATE: Effect.WRITES_STATE,
    Trait.CREATES_VARIABLE: Effect.WRITES_STATE,
    Trait.CREATES_LAYER: Effect.WRITES_STATE,
    Trait.PRINTS: Effect.PRINTS,
    Trait.READS_FILE: Effect.READS_FILE,
    Trait.CALLS_PYTHON: Effect.CALLS_PYTHON,
    Trait.SYNCS_HOST: Effect.SYNCS_HOST,
    Trait.RUNS_SESSION: Effect.READS_STATE,
    Trait.OPENS_SESSION: Effect.WRITES_STATE,
    Trait.RESETS_GRAPH: Effect.WRITES_STATE,
    Trait.TRAINS: Effect.TRAINS,
}
ONCE = frozenset((Effect.RANDOM, Effect.WRITES_STATE, Effect.PRINTS, Effect.READS_FILE))
ONCE |= frozenset((Effect.CALLS_PYTHON, Effect.TRAINS))
"""What may not be done twice, or less often, without somebody noticing."""
_UNCERTAIN = frozenset((Effect.UNKNOWN, Effect.READS_STATE, Effect.READS_VARIABLE))
"""Where a second call may give something else."""
_VARIABLES = ("tensorflow.Variable", "torch.nn.Parameter", "keras.Variable")

_OF_TEXT = members.TEXT_METHODS | {"split", "splitlines", "endswith", "startswith"}

Effects = frozenset[Effect]
NOTHING: Effects = frozenset()
UNKNOWN_EFFECTS: Effects = frozenset((Effect.UNKNOWN,))


def of_traits(traits: frozenset[Trait]) -> Effects:
    return frozenset(_OF_TRAIT[trait] for trait in traits if trait in _OF_TRAIT)


def of_call(analysis: Analysis, site: CallSite) -> Effects:
    """What a call may do."""
    return analysis.remember(("call effects", site.node), lambda: _of_call(analysis, site), NOTHING)


def _of_call(analysis: Analysis, site: CallSite) -> Effects:
    held = callgraph.callee(analysis, site)
    if all(isinstance(term, (Argument, Unknown)) for term in held):
        known = _is_of_arrays(analysis, site) or _is_of_text(analysis, site)
        return NOTHING if known else UNKNOWN_EFFECTS
    found: set[Effect] = set()
    # What callers pass is taken to be like what is known of it.
    told = tuple(term for term in held if not isinstance(term, (Argument, Unknown)))
    if all(isinstance(term, Method) or _runs_known(analysis, term) for term in told):
        held = told
    for term in held:
        found |= of_term(analysis, term)
    return frozenset(found)


def _is_of_arrays(analysis: Analysis, site: CallSite) -> bool:
    """Whether a method of something unknown goes by a name of arrays, all of which only compute."""
    if not isinstance(site.node.func, ast.Attribute):
        return False
    name = site.node.func.attr
    known = analysis.knowledge
    methods = (known.method(array, name) for array in ARRAY_TYPES)
    facts = [fact for method in methods if method and (fact := known.fact(method)) is not None]
    return (
        bool(facts)
        and all(map(is_repeatable, facts))
        and name not in members.CHANGES
        and not outline.is_defined(analysis, site.scope.module_path, name)
    )


def _is_of_text(analysis: Analysis, site: CallSite) -> bool:
    """Whether a method of something unknown goes by a name that only texts have."""
    function = site.node.func
    if not isinstance(function, ast.Attribute) or function.attr not in _OF_TEXT:
        return False
    return not outline.is_defined(analysis, site.scope.module_path, function.attr)


def of_term(analysis: Analysis, term: Term) -> Effects:
    """What calling a term may do."""
    if isinstance(term, (External, Method)):
        function = term if isinstance(term, External) else term.function
        if isinstance(function, FunctionTerm):
            return of_function(analysis, function.scope)
        fact = analysis.knowledge.fact(function.name)
        if fact is None:
            return UNKNOWN_EFFECTS
        return of_traits(fact.traits)
    if isinstance(term, FunctionTerm):
        return of_function(analysis, term.scope)
    if isinstance(term, ClassTerm):
        made = callgraph.targets_of(analysis, (term,))
        inner: set[Effect] = {Effect.WRITES_STATE} if _is_stateful_class(analysis, term) else set()
        for target in made:
            # Setting attributes of the new object is not an effect on anything else.
            inner |= of_function(analysis, target.function) - {Effect.WRITES_STATE}
        return frozenset(inner)
    if isinstance(term, Object):
        run = callgraph.run_method(analysis, term.cls)
        if run is not None:
            return of_function(analysis, run)
        return UNKNOWN_EFFECTS
    if isinstance(term, Instance):
        wrapped = callgraph.wrapped(analysis, term)
        if wrapped:
            return frozenset().union(*(of_term(analysis, part) for part in wrapped))
        known = analysis.knowledge.type(term.type)
        if known is not None and known.call_traits:
            return of_traits(known.call_traits)
    return UNKNOWN_EFFECTS


def _is_stateful_class(analysis: Analysis, term: ClassTerm) -> bool:
    return any(isinstance(base, str) for base in classes.ancestors(analysis, term.scope))


def of_function(analysis: Analysis, function: Scope) -> Effects:
    """What calling a function of the project may do, its callees' effects included."""
    return analysis.remember(
        ("effects", function), lambda: _of_function(analysis, function), NOTHING
    )


def _of_function(analysis: Analysis, function: Scope) -> Effects:
    analysis.module_of(function)
    found: set[Effect] = set()
    for site in function.calls:
        done = of_call(analysis, site)
        if Effect.WRITES_STATE in done and _is_on_own_object(analysis, site, function):
            done -= {Effect.WRITES_STATE}
        found |= done
    local = _fresh_names(function)
    if any(write.base not in local for write in function.attribute_writes):
        found.add(Effect.WRITES_STATE)
    for target, _ in function.item_writes:
        is_local = isinstance(target, ast.Name) and target.id in local
        if not is_local and not _is_new(analysis, target, function):
            found.add(Effect.WRITES_STATE)
    if function.outer_names:
        found.add(Effect.WRITES_STATE)
    if reads_variable(analysis, function):
        found.add(Effect.READS_VARIABLE)
    for wrapper in decorated.wrappers(analysis, function):
        # What a decorator does besides, such as to take the time, is rarely known.
        found |= of_function(analysis, wrapper) - {Effect.UNKNOWN}
    return frozenset(found)


def _is_on_own_object(analysis: Analysis, site: CallSite, function: Scope) -> bool:
    """Whether it is a method call on an object that the function itself made."""
    held = callgraph.callee(analysis, site)
    return bool(held) and all(
        isinstance(term, Method)
        and isinstance(term.receiver, Instance)
        and term.receiver.site is not None
        and term.receiver.scope is function
        for term in held
    )


def _fresh_names(function: Scope) -> set[str]:
    """Names bound in the function, its parameters apart: writes to them stay inside."""
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return set()
    given = {argument.arg for argument in tree.walk(node.args) if isinstance(argument, ast.arg)}
    return function.bound - given - function.outer_names


def _is_new(analysis: Analysis, node: ast.expr, function: Scope) -> bool:
    """Whether a name leads to what the function made there and then: `x = x.copy()`."""
    if not isinstance(node, ast.Name) or node.id in function.outer_names:
        return False
    definitions = values.definitions_of(analysis, node, function)
    return bool(definitions) and all(
        one.scope is function and newness.is_new(analysis, one) for one in definitions
    )


def reads_variable(analysis: Analysis, function: Scope) -> bool:
    """Whether the function reads a framework variable that it was not given."""
    node = function.node
    body = [node.body] if isinstance(node, ast.Lambda) else getattr(node, "body", [])
    for statement in body:
        for part in tree.walk(statement):
            if isinstance(part, ast.Name):
                if part.id in function.bound or not isinstance(part.ctx, ast.Load):
                    continue
            elif not (isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load)):
                continue
            for term in values.evaluate(analysis, part, function):
                if isinstance(term, Instance) and is_variable(analysis, term):
                    return True
    return False


def is_variable(analysis: Analysis, term: Instance) -> bool:
    return not set(_VARIABLES).isdisjoint(analysis.knowledge.ancestry(term.type))


# What a second call gives


def is_repeatable(fact: Fact) -> bool:
    """Whether a second call with the same arguments gives the same and does nothing more."""
    return not fact.traits.isdisjoint(_REPEATABLE) and fact.traits.isdisjoint(_CHANGING)


_REPEATABLE = frozenset((Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.VIEWS, Trait.PURE))
_REPEATABLE |= frozenset((Trait.CASTS,))
_CHANGING = (
    frozenset((Trait.RANDOM, Trait.READS_STATE, Trait.WRITES_STATE, Trait.CREATES_VARIABLE))
    | frozenset(
        (Trait.CREATES_LAYER, Trait.PRINTS, Trait.READS_FILE, Trait.CALLS_PYTHON, Trait.TRAINS)
    )
    | frozenset((Trait.TRACES_ARGUMENT, Trait.RUNS_SESSION, Trait.COMPILES, Trait.WRAPS_FUNCTION))
)


def repeatable(analysis: Analysis, site: CallSite, may_do: Effects = NOTHING) -> Certainty:
    """Whether a second call with the same arguments gives the same and does nothing more.

    What it `may_do` is known to make no difference.
    """
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if fact is not None and is_repeatable(fact):
        return Certainty.YES
    # What callers pass is taken to be like what is known of it.
    known = tuple(term for term in held if not isinstance(term, (Argument, Unknown)))
    if len(known) < len(held) and callgraph.targets_of(analysis, known):
        done = frozenset().union(*(of_term(analysis, term) for term in known))
    else:
        done = of_call(analysis, site)
    if done & ONCE:
        return Certainty.NO
    if fact is not None or done & _UNCERTAIN - may_do:
        return Certainty.UNKNOWN
    if callgraph.targets_of(analysis, held) or _are_repeatable(analysis, known):
        by_heirs = _of_heirs(analysis, site) & (ONCE | _UNCERTAIN) - may_do
        return Certainty.UNKNOWN if by_heirs else Certainty.YES
    if all(isinstance(term, (Argument, Unknown)) for term in held):
        computes = _is_of_arrays(analysis, site) or _is_of_text(analysis, site)
        return Certainty.YES if computes else Certainty.UNKNOWN
    return Certainty.UNKNOWN


def _of_heirs(analysis: Analysis, site: CallSite) -> Effects:
    """What a method may do that an object calls of itself, where a class below has its own."""
    if not classes.is_of_own_object(site.node.func, site.scope):
        return NOTHING
    targets = callgraph.targets_of(analysis, callgraph.callee(analysis, site))
    own = (one for target in targets for one in classes.overriding(analysis, target.function))
    return frozenset().union(*(of_function(analysis, method) for method in own))


def _are_repeatable(analysis: Analysis, held: Value) -> bool:
    """Whether objects are called whose calls compute, and rest on nothing but what they get."""
    return bool(held) and all(
        isinstance(term, Instance)
        and (known := analysis.knowledge.type(term.type)) is not None
        and not known.call_traits.isdisjoint(_REPEATABLE)
        and known.call_traits.isdisjoint(_CHANGING)
        for term in held
    )


def _runs_known(analysis: Analysis, term: Term) -> bool:
    """Whether it is an object of which the facts tell what calling it does."""
    if not isinstance(term, Instance):
        return False
    known = analysis.knowledge.type(term.type)
    return known is not None and bool(known.call_traits)


def attributes_read(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes of its object that a method or the methods it calls read."""

    def find() -> frozenset[str]:
        analysis.module_of(function)
        receiver = classes.receiver_name(function)
        found = {
            part.attr
            for part in tree.walk(function.node)
            if isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id == receiver
        }
        for site in function.calls:
            for target in callgraph.targets(analysis, site):
                if isinstance(target.receiver, Object):
                    found |= attributes_read(analysis, target.function)
        return frozenset(found)

    return analysis.remember(("attributes read", function), find, frozenset())
