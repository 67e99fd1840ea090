"""Which expressions give the same in each iteration of a loop, and on what they depend.

Asked of a function instead, each call of which is an iteration of a loop elsewhere, the answer
names the chains of its parameters on which an expression depends: where a loop calls the
function with the same for these, the expression is the same too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeGuard

from deepperf.knowledge import members
from deepperf.semantics.calls import callgraph, effects, properties
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import moving, renewed, uniform_items
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.invariance.steadiness import (
    AROUND,
    CHANGES,
    STAYS,
    UNKNOWN,
    Steadiness,
    together,
)
from deepperf.semantics.loops import loops
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.models import learning
from deepperf.semantics.names.flow import Binding, Definition, Definitions
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain, chain_of
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import (
    Argument,
    External,
    FunctionTerm,
    Instance,
    Object,
    Unknown,
)
from deepperf.semantics.writes import aliases, attributes, same_objects, shared_objects, writes

_PLAIN = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List, ast.Dict,
    ast.Set, ast.Slice, ast.Subscript, ast.Starred, ast.JoinedStr, ast.FormattedValue,
)  # fmt: skip


def steady(analysis: Analysis, node: ast.expr, region: Region) -> Steadiness:
    """Whether an expression of the region's scope is the same in each iteration."""
    if isinstance(node, ast.Constant):
        return STAYS
    return analysis.remember(
        ("steady", node, region.loop), lambda: _steady(analysis, node, region), UNKNOWN
    )


def _steady(analysis: Analysis, node: ast.expr, region: Region) -> Steadiness:
    getter = properties.read_at(analysis, node, region.scope)
    if getter is not None:
        again = Steadiness(effects.repeatable(analysis, getter))
        return together((again, _receiver_steady(analysis, getter, region)))
    if properties.runs_for_item(analysis, node, region.scope):
        return UNKNOWN
    if is_of_kind(node):
        return _of_kind(analysis, node, region)
    if isinstance(node, (ast.Name, ast.Attribute)):
        chain = chain_of(node)
        if chain is not None:
            return of_chain(analysis, node, chain, region)
        return steady(analysis, node.value, region) if isinstance(node, ast.Attribute) else UNKNOWN
    if isinstance(node, ast.Call):
        return _call(analysis, node, region)
    if isinstance(node, COMPREHENSIONS):
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for generator in node.generators:
            parts += [generator.iter, *generator.ifs]
        return all_steady(analysis, parts, region)
    if isinstance(node, _PLAIN):
        inner = [part for part in tree.children(node) if isinstance(part, ast.expr)]
        return all_steady(analysis, inner, region)
    return UNKNOWN


def all_steady(analysis: Analysis, nodes: Iterable[ast.expr], region: Region) -> Steadiness:
    """Whether several expressions are, all of them."""
    return together(steady(analysis, node, region) for node in nodes)


def same_object(analysis: Analysis, node: ast.expr, region: Region) -> Certainty:
    """Whether a reference leads to one object in each iteration, whether or not that is
    written to.
    """
    if isinstance(node, ast.Attribute):
        if attributes.rebinds(analysis, node.attr, region):
            return Certainty.NO
        return same_object(analysis, node.value, region)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        if chain_of(node.value) in region.items:
            return Certainty.NO
        return same_object(analysis, node.value, region)
    if not isinstance(node, ast.Name):
        return steady(analysis, node, region).certainty
    definitions = values.definitions_of(analysis, node, region.scope)
    inside = [d for d in definitions if stands_in(d, region)]
    if not inside:
        return Certainty.YES if definitions else Certainty.UNKNOWN
    if len(definitions) > 1:
        return Certainty.NO
    value = inside[0].value
    if inside[0].binding is Binding.ASSIGNED and isinstance(value, (ast.Name, ast.Attribute)):
        return same_object(analysis, value, region)
    return renewed.made(analysis, inside[0], region).certainty


# Calls


def _call(analysis: Analysis, node: ast.Call, region: Region) -> Steadiness:
    site = analysis.site_of(node, region.scope)
    if site is None:
        return UNKNOWN
    operands = tree.arguments(node)
    again = Steadiness(effects.repeatable(analysis, site))
    if again == CHANGES:
        return CHANGES
    given = all_steady(analysis, operands, region)
    return together((again, given, _receiver_steady(analysis, site, region)))


def _receiver_steady(analysis: Analysis, site: CallSite, region: Region) -> Steadiness:
    """Whether what a method reads of its object stays as it is; calling an object runs one, too."""
    function = site.node.func
    held = callgraph.callee(analysis, site)
    if isinstance(function, ast.Name) and function.id in region.bound:
        return steady(analysis, function, region)  # each iteration may call another function
    known = [term for term in held if not isinstance(term, (Argument, Unknown))]
    if any(isinstance(term, Object) for term in held):
        owner = function
    elif known and all(isinstance(term, Instance) for term in known):
        return steady(analysis, function, region)  # an object is called that is kept there
    elif isinstance(function, ast.Attribute) and not all(
        isinstance(term, (External, FunctionTerm)) for term in held
    ):
        owner = function.value
    else:
        return STAYS
    chain = chain_of(owner)
    methods = [t for t in callgraph.targets_of(analysis, held) if t.shift]
    if chain is None or not methods or not all(isinstance(t.receiver, Object) for t in methods):
        return steady(analysis, owner, region)
    read = frozenset().union(*(effects.attributes_read(analysis, t.function) for t in methods))
    answers = [Steadiness(same_object(analysis, owner, region))]
    for name in sorted(read):
        node = ast.Attribute(owner, name, ast.Load())
        answers.append(of_chain(analysis, node, (*chain, name), region))
    return together(answers)


# Names and what is read from them


def of_chain(
    analysis: Analysis, node: ast.Name | ast.Attribute, chain: Chain, region: Region
) -> Steadiness:
    """Whether what a reference leads to is the same in each iteration; `chain` are its names."""
    name = chain[0]
    scope = region.scope
    if name in writes.written_inside(analysis, scope):
        return UNKNOWN
    root = _root(node)
    if name in region.bound:
        return _bound_name(analysis, node, chain, region)
    if name in scope.bound and name not in scope.outer_names:
        if not _is_parameter(scope, name) or region.loop is not None:
            return _left_alone(analysis, node, chain, region)
        if name in _unpacked_parameters(scope):
            return UNKNOWN
        found = _left_alone(analysis, node, chain, region)
        return Steadiness(Certainty.YES, frozenset((chain,))) if found.is_sure else found
    held = values.evaluate(analysis, node, scope)
    if held and all(isinstance(term, (External, FunctionTerm)) for term in held):
        return STAYS
    # What the scope around binds outside of its loops it does not bind anew between iterations.
    definitions = values.definitions_of(analysis, root, scope)
    scopes = {definition.scope for definition in definitions}
    if len(scopes) != 1 or any(definition.loops for definition in definitions):
        return UNKNOWN
    outer = scopes.pop()
    is_inner = region.loop is None and outer.kind is ScopeKind.FUNCTION
    if (is_inner and outer is not scope.parent) or name in writes.written_through(analysis, outer):
        return UNKNOWN
    found = _left_alone(analysis, node, chain, region)
    if not is_inner or not found.is_sure:
        return found
    return Steadiness(Certainty.YES, frozenset(((AROUND, *chain),)))


def is_of_kind(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether it asks on which device something lies, or of which type its numbers are."""
    return isinstance(node, ast.Attribute) and node.attr in members.KIND_ATTRIBUTES


def _of_kind(analysis: Analysis, node: ast.Attribute, region: Region) -> Steadiness:
    """Batches differ from iteration to iteration, but not in the device that they lie on.

    What a loop goes over one by one may lie anywhere.
    """
    if attributes.rebinds(analysis, node.attr, region):
        return UNKNOWN
    roots = _roots(node.value, region)
    if region.loop is None:
        given = (name for name in roots if _is_parameter(region.scope, name))
        return Steadiness(Certainty.YES, frozenset((name, node.attr) for name in given))
    turning = (region.loop, *loops.loops_within(region.loop))
    own = (one for one in turning if not roots.isdisjoint(loops.targets(one)))
    return STAYS if all(uniform_items.lie_alike(analysis, one) for one in own) else UNKNOWN


def _roots(node: ast.expr, region: Region) -> set[str]:
    """The names that an expression is made from, by way of what the region binds."""
    found: set[str] = set()
    pending = tree.names_in(node)
    while pending:
        name = pending.pop()
        value = region.bound.get(name)
        if name not in found and value is not None:
            pending |= tree.names_in(value) - found
        found.add(name)
    return found


def _root(node: ast.expr) -> ast.Name:
    root = tree.owner_of(node)
    assert isinstance(root, ast.Name)
    return root


def _bound_name(
    analysis: Analysis, node: ast.Name | ast.Attribute, chain: Chain, region: Region
) -> Steadiness:
    """A name that the region binds is steady when it is bound once, to what is steady."""
    definitions = values.definitions_of(analysis, _root(node), region.scope)
    inside = [d for d in definitions if stands_in(d, region)]
    if not definitions:
        return UNKNOWN
    if not inside:
        found = _left_alone(analysis, node, chain, region)
        if region.loop is not None or not found.is_sure:
            return found
        # A parameter that the function binds anew further on.
        is_given = all(d.binding is Binding.PARAMETER for d in definitions)
        is_packed = chain[0] in _unpacked_parameters(region.scope)
        return (
            Steadiness(Certainty.YES, frozenset((chain,)))
            if is_given and not is_packed
            else UNKNOWN
        )
    made = [renewed.made(analysis, definition, region) for definition in inside]
    if len(inside) < len(definitions):
        return _settled(analysis, node, chain, definitions, region)
    if len(made) > 1:
        return CHANGES if all(answer == CHANGES for answer in made) else UNKNOWN
    left = _left_alone(analysis, node, chain, region)
    if not left.is_sure and len(chain) == 1:
        left = renewed.replayed(analysis, inside[0], region)
    if inside[0].binding is Binding.ITERATED:
        return together((_of_items(made[0], chain[1:]), left))
    return together((made[0], left))


def _of_items(container: Steadiness, read: Chain) -> Steadiness:
    """What rests on the items of a container rests on what is read of these, too."""
    of_items = frozenset((*chain, *read) for chain in container.needs)
    return Steadiness(container.certainty, container.needs | of_items)


def _settled(
    analysis: Analysis,
    node: ast.Name | ast.Attribute,
    chain: Chain,
    definitions: Definitions,
    region: Region,
) -> Steadiness:
    """Another iteration's value, too, is the same where turns only cast or move it: `x =
    x.to(device)`.

    What is cast once stays as it is when that is done again.
    """
    if region.loop is None:
        return CHANGES
    settings: list[ast.expr] = []
    for definition in definitions:
        if not stands_in(definition, region):
            continue
        found = renewed.settings_of_cast(analysis, definition, definitions)
        if found is None:
            return CHANGES
        settings += found
    left = _left_alone(analysis, node, chain, region)
    return together((all_steady(analysis, settings, region), left))


def stands_in(definition: Definition, region: Region) -> bool:
    """Whether the region binds a name there."""
    if definition.scope is not region.scope:
        return False
    if region.loop is None:
        return definition.binding is not Binding.PARAMETER
    return id(region.loop.node) in definition.loops


def _left_alone(
    analysis: Analysis, node: ast.Name | ast.Attribute, chain: Chain, region: Region
) -> Steadiness:
    """Whether nothing writes to what a reference leads to: the region, or a thread beside it."""
    if shared_objects.is_shared(analysis, node, region.scope):
        return UNKNOWN
    if moving.moves_on(analysis, node, region):
        return UNKNOWN
    found = writes.written(analysis, chain, region, _root(node))
    if found is Certainty.YES:
        return CHANGES
    if found is Certainty.NO and same_objects.is_changed(analysis, node, region):
        return UNKNOWN
    if learning.trains(region, chain):
        return UNKNOWN
    if found is Certainty.NO and not learning.learns(analysis, region):
        return STAYS
    held = values.evaluate(analysis, node, region.scope)
    if found is Certainty.UNKNOWN:
        is_fixed = held and all(aliases.is_immutable(analysis, term) for term in held)
        return STAYS if is_fixed else UNKNOWN
    variables = (isinstance(t, Instance) and effects.is_variable(analysis, t) for t in held)
    is_moved = any(variables) or learning.is_optimized(analysis, chain, region.scope)
    return UNKNOWN if is_moved else STAYS


def _is_parameter(scope: Scope, name: str) -> bool:
    node = scope.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    return any(a.arg == name for a in tree.walk(node.args) if isinstance(a, ast.arg))


def _unpacked_parameters(scope: Scope) -> set[str]:
    node = scope.node
    assert not isinstance(node, (ast.Module, ast.ClassDef))
    return {a.arg for a in (node.args.vararg, node.args.kwarg) if a is not None}
