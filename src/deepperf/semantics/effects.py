"""What calling a function does besides returning, and what a loop leaves unchanged."""

from __future__ import annotations

import ast
import enum

from deepperf.knowledge.schema import Trait
from deepperf.semantics import callgraph, classes, loops, values
from deepperf.semantics.analysis import Analysis
from deepperf.semantics.scopes import CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.terms import (
    Argument,
    ClassTerm,
    Display,
    External,
    FunctionTerm,
    Instance,
    Literal,
    Method,
    ModuleTerm,
    Object,
    Term,
)


class Effect(enum.Enum):
    """Something a call does, or rests on, besides its arguments and result."""

    RANDOM = "random"
    READS_STATE = "reads-state"
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
_ONCE = {Effect.RANDOM, Effect.WRITES_STATE, Effect.PRINTS, Effect.READS_FILE}
_ONCE |= {Effect.CALLS_PYTHON, Effect.TRAINS}
_VARIABLES = ("tensorflow.Variable", "torch.nn.Parameter", "keras.Variable")
_IMMUTABLE = (
    "tensorflow.Tensor",
    "tensorflow.SparseTensor",
    "tensorflow.RaggedTensor",
    "tensorflow.data.Dataset",
    "jax.Array",
    "builtins.int",
    "builtins.float",
    "builtins.str",
    "builtins.bytes",
    "builtins.bool",
    "builtins.tuple",
    "builtins.frozenset",
    "builtins.range",
)
_MUTABLE_DATA = ("numpy.ndarray", "torch.Tensor", "builtins.list", "builtins.dict")

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
    if not held:
        return UNKNOWN_EFFECTS
    found: set[Effect] = set()
    for term in held:
        found |= of_term(analysis, term)
    return frozenset(found)


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
        if not (isinstance(target, ast.Name) and target.id in local):
            found.add(Effect.WRITES_STATE)
    if function.outer_names:
        found.add(Effect.WRITES_STATE)
    if reads_variable(analysis, function):
        found.add(Effect.READS_STATE)
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
    given = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    return function.bound - given - function.outer_names


def reads_variable(analysis: Analysis, function: Scope) -> bool:
    """Whether the function reads a framework variable that it was not given."""
    node = function.node
    body = [node.body] if isinstance(node, ast.Lambda) else getattr(node, "body", [])
    for statement in body:
        for part in ast.walk(statement):
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


# What a loop leaves as it is


def of_loop(analysis: Analysis, loop: Frame) -> Effects:
    """What a turn of a loop may do."""

    def find() -> Effects:
        found: set[Effect] = set()
        for site in loops.sites_in(analysis, loop):
            found |= of_call(analysis, site)
        return frozenset(found)

    return analysis.remember(("loop effects", loop.node), find, NOTHING)


def repeatable(analysis: Analysis, site: CallSite) -> loops.Certainty:
    """Whether a second call with the same arguments gives the same and does nothing more."""
    found = of_call(analysis, site)
    if found & _ONCE:
        return loops.Certainty.NO
    if found & {Effect.UNKNOWN, Effect.READS_STATE}:
        return loops.Certainty.UNKNOWN
    return loops.Certainty.YES


def unchanged_name(name: str, scope: Scope, loop: Frame) -> loops.Certainty:
    """Whether the object that a local name holds is left as it is by the loop's body."""
    reference = ast.Name(name, ast.Load())
    return loops.Certainty.NO if _mutated(scope, reference, loop) else loops.Certainty.YES


def unchanged_object(
    analysis: Analysis, node: ast.Name | ast.Attribute, scope: Scope, loop: Frame
) -> loops.Certainty:
    """Whether what an invariant reference leads to stays the same while the loop turns.

    Immutable objects do. Arrays and containers do unless the loop writes to them. For
    variables, models and what we know nothing of, the loop must be free of unknown effects.
    """
    if isinstance(node, ast.Attribute) and _attribute_written(analysis, node.attr, loop):
        return loops.Certainty.NO
    held = values.evaluate(analysis, node, scope)
    if held and all(_is_immutable(analysis, term) for term in held):
        return loops.Certainty.YES
    if _mutated(scope, node, loop):
        return loops.Certainty.NO
    known = [term for term in held if not isinstance(term, Argument)]
    if known and all(_is_data(analysis, term) for term in known):
        return loops.Certainty.YES
    done = of_loop(analysis, loop)
    if done & {Effect.UNKNOWN, Effect.WRITES_STATE, Effect.TRAINS}:
        return loops.Certainty.UNKNOWN
    return loops.Certainty.YES


def same_object(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> loops.Certainty:
    """Whether a reference leads to the same object in each turn, changed or not."""
    if isinstance(node, ast.Name):
        definitions = values.definitions_of(analysis, node, scope)
        inside = [d for d in definitions if d.scope is scope and id(loop.node) in d.loops]
        if not inside:
            return loops.Certainty.YES if definitions else loops.Certainty.UNKNOWN
    elif isinstance(node, ast.Attribute):
        if _attribute_written(analysis, node.attr, loop):
            return loops.Certainty.NO
        return same_object(analysis, node.value, scope, loop)
    return loops.invariant(analysis, node, scope, loop)


def unchanged_receiver(
    analysis: Analysis, target: callgraph.Target, loop: Frame
) -> loops.Certainty:
    """Whether what a method reads of its object stays the same while the loop turns."""
    if not isinstance(target.receiver, Object):
        return loops.Certainty.UNKNOWN
    found = loops.Certainty.YES
    done = of_loop(analysis, loop)
    restless = bool(done & {Effect.UNKNOWN, Effect.WRITES_STATE, Effect.TRAINS})
    for name in sorted(attributes_read(analysis, target.function)):
        if _attribute_written(analysis, name, loop):
            return loops.Certainty.NO
        held = classes.class_attribute(analysis, target.receiver.cls, name, target.receiver)
        fixed = held and all(
            _is_immutable(analysis, term) or isinstance(term, Method) for term in held
        )
        if restless and not fixed:
            found = loops.Certainty.UNKNOWN
    return found


def attributes_read(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes of its object that a method or the methods it calls read."""

    def find() -> frozenset[str]:
        receiver = classes.receiver_name(function)
        found = {
            part.attr
            for part in ast.walk(function.node)
            if isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id == receiver
        }
        for site in function.calls:
            for target in callgraph.targets(analysis, site):
                if isinstance(target.receiver, Object):
                    found |= attributes_read(analysis, target.function)
        return frozenset(found)

    empty: frozenset[str] = frozenset()
    return analysis.remember(("attributes read", function), find, empty)


def _is_immutable(analysis: Analysis, term: Term) -> bool:
    if isinstance(term, (Literal, External, FunctionTerm, ClassTerm, ModuleTerm)):
        return True
    if not isinstance(term, Instance) or is_variable(analysis, term):
        return False
    return any(name in _IMMUTABLE for name in analysis.knowledge.ancestry(term.type))


def _is_data(analysis: Analysis, term: Term) -> bool:
    if isinstance(term, Display) or _is_immutable(analysis, term):
        return True
    if not isinstance(term, Instance) or is_variable(analysis, term):
        return False
    return any(name in _MUTABLE_DATA for name in analysis.knowledge.ancestry(term.type))


def _mutated(scope: Scope, reference: ast.expr, loop: Frame) -> bool:
    """Whether the loop's body writes through the reference: items, attributes, methods."""
    for target, frames in scope.item_writes:
        if loop in frames and same_reference(_root(target), reference):
            return True
    for write in scope.attribute_writes:
        if loop in write.frames and write.base == getattr(reference, "id", None):
            return True
    for site in scope.calls:
        if loop not in site.frames:
            continue
        function = site.node.func
        if (
            isinstance(function, ast.Attribute)
            and _is_mutating(function.attr)
            and same_reference(function.value, reference)
        ):
            return True
        for keyword in site.node.keywords:
            if keyword.arg == "out" and same_reference(keyword.value, reference):
                return True
    return False


_MUTATING = frozenset(
    """
    append extend insert remove pop clear sort reverse update add discard setdefault popitem
    fill put itemset resize partition assign assign_add assign_sub load load_state_dict
    scatter_update
    """.split()  # noqa: SIM905 - a list of words reads better than a list of literals
)


def _is_mutating(method: str) -> bool:
    """Whether a method of this name changes its object; torch ends such names in `_`."""
    return method in _MUTATING or (method.endswith("_") and not method.startswith("_"))


def _root(target: ast.expr) -> ast.expr:
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def same_reference(first: ast.expr, second: ast.expr) -> bool:
    """Whether two expressions are the same chain of names and attributes."""
    while isinstance(first, ast.Attribute) and isinstance(second, ast.Attribute):
        if first.attr != second.attr:
            return False
        first, second = first.value, second.value
    return isinstance(first, ast.Name) and isinstance(second, ast.Name) and first.id == second.id


def _attribute_written(analysis: Analysis, name: str, loop: Frame) -> bool:
    for write in loop.scope.attribute_writes:
        if loop in write.frames and write.attribute == name:
            return True
    return any(
        name in attributes_written(analysis, target.function)
        for site in loops.sites_in(analysis, loop)
        for target in callgraph.targets(analysis, site)
    )


def attributes_written(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes of any object that a function or its callees set."""

    def find() -> frozenset[str]:
        found = {write.attribute for scope in function.walk() for write in scope.attribute_writes}
        for site in function.calls:
            for target in callgraph.targets(analysis, site):
                found |= attributes_written(analysis, target.function)
        return frozenset(found)

    empty: frozenset[str] = frozenset()
    if function.kind is not ScopeKind.FUNCTION:
        return empty
    return analysis.remember(("attributes written", function), find, empty)
