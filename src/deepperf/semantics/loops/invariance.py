"""What stays the same while a loop turns: expressions, objects, attributes."""

from __future__ import annotations

import ast
import enum

from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
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


class Certainty(enum.Enum):
    """The answer to a question about the program; unknown is an answer."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def combine(*answers: Certainty) -> Certainty:
    """Yes if all are; no if one is no; else unknown."""
    if Certainty.NO in answers:
        return Certainty.NO
    if Certainty.UNKNOWN in answers:
        return Certainty.UNKNOWN
    return Certainty.YES


def invariant(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> Certainty:
    """Whether an expression in the loop has the same value in each turn.

    The loop must belong to `scope`: an expression in a called function is judged by the
    call's arguments.
    """
    return analysis.remember(
        ("invariant", node, loop.node),
        lambda: _invariant(analysis, node, scope, loop),
        Certainty.NO,
    )


def _invariant(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> Certainty:
    if isinstance(node, ast.Constant):
        return Certainty.YES
    if isinstance(node, ast.Name):
        return _name_invariant(analysis, node, scope, loop)
    if isinstance(node, ast.Attribute):
        return _attribute_invariant(analysis, node, scope, loop)
    if isinstance(node, ast.Call):
        return _call_invariant(analysis, node, scope, loop)
    if isinstance(node, (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom)):
        return Certainty.UNKNOWN
    if isinstance(node, COMPREHENSIONS):
        parts = [node.generators[0].iter]
        parts += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return combine(*(invariant(analysis, part, scope, loop) for part in parts))
    parts = [part for part in tree.children(node) if isinstance(part, ast.expr)]
    if isinstance(node, ast.Slice) and not parts:
        return Certainty.YES
    return combine(*(invariant(analysis, part, scope, loop) for part in parts))


def _name_invariant(analysis: Analysis, node: ast.Name, scope: Scope, loop: Frame) -> Certainty:
    definitions = values.definitions_of(analysis, node, scope)
    if not definitions:
        held = values.evaluate(analysis, node, scope)
        known = held and all(isinstance(term, External) for term in held)
        return Certainty.YES if known else Certainty.UNKNOWN
    inside = [d for d in definitions if d.scope is scope and id(loop.node) in d.loops]
    if inside:
        if len(definitions) > 1:
            return Certainty.NO
        return _definition_invariant(analysis, inside[0], scope, loop)
    if any(
        d.scope is not scope and len(definitions) > 1 and d.binding is not Binding.IMPORTED
        for d in definitions
    ):
        return Certainty.UNKNOWN
    return unchanged_object(analysis, node, scope, loop)


def _definition_invariant(
    analysis: Analysis, definition: Definition, scope: Scope, loop: Frame
) -> Certainty:
    """A name bound once in the loop is invariant when what it is bound to is."""
    if definition.value is None or definition.node is loop.node:
        return Certainty.NO
    if definition.binding is Binding.ASSIGNED:
        return combine(
            invariant(analysis, definition.value, scope, loop),
            unchanged_name(definition.name, scope, loop),
        )
    if definition.binding is Binding.ITERATED:
        if definition.value is loops.iterable_of(loop):
            return Certainty.NO
        inner = definition.loops[-1] if definition.loops else None
        if inner == id(loop.node):
            return Certainty.NO
        return invariant(analysis, definition.value, scope, loop)
    if definition.binding is Binding.IMPORTED:
        return Certainty.YES
    return Certainty.NO if definition.binding is Binding.AUGMENTED else Certainty.UNKNOWN


def _attribute_invariant(
    analysis: Analysis, node: ast.Attribute, scope: Scope, loop: Frame
) -> Certainty:
    held = values.evaluate(analysis, node, scope)
    if held and all(isinstance(term, External) for term in held):
        return Certainty.YES
    base = same_object(analysis, node.value, scope, loop)
    if base is not Certainty.YES:
        return base
    return unchanged_object(analysis, node, scope, loop)


def _call_invariant(analysis: Analysis, node: ast.Call, scope: Scope, loop: Frame) -> Certainty:
    site = analysis.module_of(scope).scopes.call_sites[id(node)]
    pure = repeatable(analysis, site)
    arguments = [invariant(analysis, argument, scope, loop) for argument in node.args]
    arguments += [invariant(analysis, k.value, scope, loop) for k in node.keywords]
    if isinstance(node.func, ast.Attribute):
        methods = [t for t in callgraph.targets(analysis, site) if t.shift]
        if methods:
            arguments.append(same_object(analysis, node.func.value, scope, loop))
            arguments += [unchanged_receiver(analysis, t, loop) for t in methods]
        else:
            arguments.append(invariant(analysis, node.func.value, scope, loop))
    return combine(pure, *arguments)


def repeatable(analysis: Analysis, site: CallSite) -> Certainty:
    """Whether a second call with the same arguments gives the same and does nothing more."""
    found = effects.of_call(analysis, site)
    if found & effects.ONCE:
        return Certainty.NO
    if found & {effects.Effect.UNKNOWN, effects.Effect.READS_STATE}:
        return Certainty.UNKNOWN
    return Certainty.YES


def unchanged_name(name: str, scope: Scope, loop: Frame) -> Certainty:
    """Whether the object that a local name holds is left as it is by the loop's body."""
    reference = ast.Name(name, ast.Load())
    return Certainty.NO if _mutated(scope, reference, loop) else Certainty.YES


def unchanged_object(
    analysis: Analysis, node: ast.Name | ast.Attribute, scope: Scope, loop: Frame
) -> Certainty:
    """Whether what an invariant reference leads to stays the same while the loop turns.

    Immutable objects do. Arrays and containers do unless the loop writes to them. For
    variables, models and what we know nothing of, the loop must be free of unknown effects.
    """
    if isinstance(node, ast.Attribute) and _attribute_written(analysis, node.attr, loop):
        return Certainty.NO
    held = values.evaluate(analysis, node, scope)
    if held and all(_is_immutable(analysis, term) for term in held):
        return Certainty.YES
    if _mutated(scope, node, loop):
        return Certainty.NO
    known = [term for term in held if not isinstance(term, Argument)]
    if known and all(_is_data(analysis, term) for term in known):
        return Certainty.YES
    done = effects.of_loop(analysis, loop)
    if done & {effects.Effect.UNKNOWN, effects.Effect.WRITES_STATE, effects.Effect.TRAINS}:
        return Certainty.UNKNOWN
    return Certainty.YES


def same_object(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> Certainty:
    """Whether a reference leads to the same object in each turn, changed or not."""
    if isinstance(node, ast.Name):
        definitions = values.definitions_of(analysis, node, scope)
        inside = [d for d in definitions if d.scope is scope and id(loop.node) in d.loops]
        if not inside:
            return Certainty.YES if definitions else Certainty.UNKNOWN
    elif isinstance(node, ast.Attribute):
        if _attribute_written(analysis, node.attr, loop):
            return Certainty.NO
        return same_object(analysis, node.value, scope, loop)
    return invariant(analysis, node, scope, loop)


def unchanged_receiver(analysis: Analysis, target: callgraph.Target, loop: Frame) -> Certainty:
    """Whether what a method reads of its object stays the same while the loop turns."""
    if not isinstance(target.receiver, Object):
        return Certainty.UNKNOWN
    found = Certainty.YES
    done = effects.of_loop(analysis, loop)
    restless = bool(
        done & {effects.Effect.UNKNOWN, effects.Effect.WRITES_STATE, effects.Effect.TRAINS}
    )
    for name in sorted(attributes_read(analysis, target.function)):
        if _attribute_written(analysis, name, loop):
            return Certainty.NO
        held = classes.class_attribute(analysis, target.receiver.cls, name, target.receiver)
        fixed = held and all(
            _is_immutable(analysis, term) or isinstance(term, Method) for term in held
        )
        if restless and not fixed:
            found = Certainty.UNKNOWN
    return found


def attributes_read(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes of its object that a method or the methods it calls read."""

    def find() -> frozenset[str]:
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

    empty: frozenset[str] = frozenset()
    return analysis.remember(("attributes read", function), find, empty)


def _is_immutable(analysis: Analysis, term: Term) -> bool:
    if isinstance(term, (Literal, External, FunctionTerm, ClassTerm, ModuleTerm)):
        return True
    if not isinstance(term, Instance) or effects.is_variable(analysis, term):
        return False
    return any(name in _IMMUTABLE for name in analysis.knowledge.ancestry(term.type))


def _is_data(analysis: Analysis, term: Term) -> bool:
    if isinstance(term, Display) or _is_immutable(analysis, term):
        return True
    if not isinstance(term, Instance) or effects.is_variable(analysis, term):
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
