"""Which expressions give the same in each turn of a loop, and on what they depend.

The answer for an expression in a function is the chains of its parameters that it depends
on: where a loop calls the function with the same for these, the expression is the same too.
"""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import invariance, regions
from deepperf.semantics.loops.regions import Chain, Region, chain_of
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import External, FunctionTerm, Object

Dependencies = frozenset[Chain]
NOTHING: Dependencies = frozenset()

_TRANSPARENT = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List, ast.Dict,
    ast.Set, ast.Slice, ast.Subscript, ast.Starred, ast.JoinedStr, ast.FormattedValue,
)  # fmt: skip
_REPEATABLE = frozenset((Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.VIEWS, Trait.PURE))
_CHANGING = (
    frozenset((Trait.RANDOM, Trait.READS_STATE, Trait.WRITES_STATE, Trait.CREATES_VARIABLE))
    | frozenset(
        (Trait.CREATES_LAYER, Trait.PRINTS, Trait.READS_FILE, Trait.CALLS_PYTHON, Trait.TRAINS)
    )
    | frozenset((Trait.TRACES_ARGUMENT, Trait.RUNS_SESSION, Trait.COMPILES, Trait.WRAPS_FUNCTION))
)


def is_repeatable(fact: Fact) -> bool:
    """Whether a second call with the same arguments gives the same and does nothing more."""
    return not fact.traits.isdisjoint(_REPEATABLE) and fact.traits.isdisjoint(_CHANGING)


def may_be_steady(node: ast.expr, region: Region) -> bool:
    """Whether the text alone leaves it possible; asked before anything that costs."""
    pending: list[ast.AST] = [node]
    bound = region.bound
    followed: set[str] = set()
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name):
            if part.id in bound and part.id not in followed:
                value = bound[part.id]
                if value is None:
                    return False
                followed.add(part.id)
                pending.append(value)
        elif isinstance(part, _OPAQUE):
            return False
        elif type(part) is not ast.Constant:
            pending.extend(tree.children(part))
    return True


_OPAQUE = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, *COMPREHENSIONS)


def steady(analysis: Analysis, node: ast.expr, region: Region) -> Dependencies | None:
    """What a steady expression of the region depends on; None where it may change."""
    if isinstance(node, ast.Constant):
        return NOTHING
    return analysis.remember(
        ("steady", node, region.loop), lambda: _steady(analysis, node, region), None
    )


def _steady(analysis: Analysis, node: ast.expr, region: Region) -> Dependencies | None:
    if isinstance(node, (ast.Name, ast.Attribute)):
        chain = chain_of(node)
        if chain is not None:
            return _chain(analysis, node, chain, region)
        return steady(analysis, node.value, region) if isinstance(node, ast.Attribute) else None
    if isinstance(node, ast.Call):
        return _call(analysis, node, region)
    if isinstance(node, _TRANSPARENT):
        return all_steady(
            analysis,
            [part for part in tree.children(node) if isinstance(part, ast.expr)],
            region,
        )
    return None


def all_steady(analysis: Analysis, nodes: list[ast.expr], region: Region) -> Dependencies | None:
    found: set[Chain] = set()
    for node in nodes:
        answer = steady(analysis, node, region)
        if answer is None:
            return None
        found |= answer
    return frozenset(found)


def _call(analysis: Analysis, node: ast.Call, region: Region) -> Dependencies | None:
    site = analysis.module_of(region.scope).scopes.call_sites.get(id(node))
    if site is None:
        return None
    operands = [*node.args, *(keyword.value for keyword in node.keywords)]
    held = callgraph.callee(analysis, site)
    if isinstance(node.func, ast.Attribute) and not all(
        isinstance(term, (External, FunctionTerm)) for term in held
    ):
        operands.append(node.func.value)
    if not all(may_be_steady(operand, region) for operand in operands):
        return None
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        if not is_repeatable(fact):
            return None
    elif not callgraph.targets_of(analysis, held) or (
        invariance.repeatable(analysis, site) is not invariance.Certainty.YES
    ):
        return None
    return all_steady(analysis, operands, region)


# Names and what is read from them


def _chain(
    analysis: Analysis, node: ast.Name | ast.Attribute, chain: Chain, region: Region
) -> Dependencies | None:
    name = chain[0]
    scope = region.scope
    if name in _written_inside(analysis, scope):
        return None
    if name in region.bound:
        return _bound_name(analysis, node, chain, region)
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    assert isinstance(root, ast.Name)
    if name in scope.bound and name not in scope.outer_names:
        if _is_parameter(scope, name) and region.loop is None:
            unpacked = _unpacked_parameters(scope)
            if name in unpacked or not regions.untouched(analysis, chain, region):
                return None
            return frozenset((chain,))
        return NOTHING if regions.untouched(analysis, chain, region) else None
    held = values.evaluate(analysis, node, scope)
    if held and all(isinstance(term, (External, FunctionTerm)) for term in held):
        return NOTHING
    definitions = values.definitions_of(analysis, root, scope)
    if len(definitions) != 1 or definitions[0].loops:
        return None
    outer = definitions[0].scope
    if region.loop is None and outer.kind is ScopeKind.FUNCTION:
        return None
    if name in _written_through(analysis, outer) or not regions.untouched(analysis, chain, region):
        return None
    return NOTHING


def _bound_name(
    analysis: Analysis, node: ast.Name | ast.Attribute, chain: Chain, region: Region
) -> Dependencies | None:
    """A name bound once in the region is steady when what it is bound to is."""
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    assert isinstance(root, ast.Name)
    definitions = values.definitions_of(analysis, root, region.scope)
    if len(definitions) != 1 or not _stands_in(definitions[0], region):
        return None
    value = definitions[0].value
    if definitions[0].binding is not Binding.ASSIGNED or value is None:
        return None
    if not regions.untouched(analysis, chain, region):
        return None
    return steady(analysis, value, region)


def _stands_in(definition: Definition, region: Region) -> bool:
    if definition.scope is not region.scope:
        return False
    if region.loop is None:
        return not definition.loops
    return bool(definition.loops) and definition.loops[-1] == id(region.loop.node)


def _is_parameter(scope: Scope, name: str) -> bool:
    node = scope.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    return any(a.arg == name for a in tree.walk(node.args) if isinstance(a, ast.arg))


def _unpacked_parameters(scope: Scope) -> set[str]:
    node = scope.node
    assert not isinstance(node, (ast.Module, ast.ClassDef))
    return {a.arg for a in (node.args.vararg, node.args.kwarg) if a is not None}


def _written_through(analysis: Analysis, scope: Scope) -> frozenset[str]:
    """The names of a scope whose objects some function within it, or it itself, writes to."""

    def find() -> frozenset[str]:
        return frozenset().union(*(_names_written(inner) for inner in scope.walk()))

    return analysis.remember(("written through", scope), find, frozenset())


def _written_inside(analysis: Analysis, scope: Scope) -> frozenset[str]:
    """The names of a scope whose objects, or which, a function defined in it changes."""

    def find() -> frozenset[str]:
        found: set[str] = set()
        for child in scope.children:
            for inner in child.walk():
                found |= (_names_written(inner) - inner.bound) | inner.outer_names
        return frozenset(found)

    if scope.kind is not ScopeKind.FUNCTION:
        return frozenset()
    return analysis.remember(("written inside", scope), find, frozenset())


def _names_written(scope: Scope) -> frozenset[str]:
    found = {write.base for write in scope.attribute_writes}
    targets = [target for target, _ in scope.item_writes]
    for site in scope.calls:
        function = site.node.func
        if isinstance(function, ast.Attribute) and regions.writes_by_name(function.attr):
            targets.append(function.value)
    found |= {chain[0] for target in targets if (chain := regions.holder_of(target)) is not None}
    return frozenset(found)


# From a function to its caller


def at_call(
    analysis: Analysis,
    needed: Dependencies,
    site: CallSite,
    target: callgraph.Target,
    region: Region,
) -> Dependencies | None:
    """What steady arguments for the needed parameters depend on in the caller's region."""
    if not needed:
        return NOTHING
    given = callgraph.bound_arguments(site.node, target)
    receiver = classes.receiver_name(target.function) if target.shift else None
    found: set[Chain] = set()
    for chain in needed:
        argument: ast.expr | None = given.get(chain[0])
        if argument is None and chain[0] == receiver:
            argument = _receiver(site, target)
            if argument is None:
                return None
        if argument is None:
            if callgraph.has_unpacked_arguments(site.node) or len(chain) > 1:
                return None
            continue  # the default, the same in each call
        answer = _argument(analysis, argument, chain[1:], region)
        if answer is None:
            return None
        found |= answer
    return frozenset(found)


def _receiver(site: CallSite, target: callgraph.Target) -> ast.expr | None:
    function = site.node.func
    if isinstance(function, ast.Attribute) and function.attr == target.function.name:
        return function.value
    return function if isinstance(target.receiver, Object) and target.receiver.site else None


def _argument(
    analysis: Analysis, argument: ast.expr, rest: Chain, region: Region
) -> Dependencies | None:
    if not may_be_steady(argument, region):
        return None
    if not rest:
        return steady(analysis, argument, region)
    chain = chain_of(argument)
    if chain is None:
        return None
    read: ast.expr = argument
    for attribute in rest:
        read = ast.Attribute(read, attribute, ast.Load())
    assert isinstance(read, ast.Attribute)
    return _chain(analysis, read, (*chain, *rest), region)
