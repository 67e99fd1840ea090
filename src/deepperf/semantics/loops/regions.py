"""What stays as it is while a loop turns, or while the body of a function runs.

A region is a loop's body, or a whole function when a call of it is one turn of a loop
elsewhere. The questions are asked of many expressions, so what names and attributes a region
binds is read off the tree first; values are asked for only where that leaves it open.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files import outline
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names import scopes
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Argument, External, Instance, Object, Unknown

Chain = tuple[str, ...]
"""A name and the attributes read from it: `self.bank.size` is `("self", "bank", "size")`."""

MUTATING = frozenset(
    """add append appendleft assign assign_add assign_sub clear discard extend fill insert
    itemset load load_state_dict partition pop popitem popleft push put remove resize reverse
    scatter_update setdefault setflags sort update write""".split()  # noqa: SIM905
)
KEEPING = frozenset(
    ["add", "append", "appendleft", "extend", "insert", "push", "put", "put_nowait", "setdefault"]
)
_HARMLESS = frozenset(
    (Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.VIEWS, Trait.PURE, Trait.PRINTS)
) | frozenset((Trait.SYNCS_HOST, Trait.RANDOM, Trait.READS_STATE, Trait.CREATES_DATASET))
WRITING = frozenset((Trait.WRITES_STATE, Trait.TRAINS, Trait.RUNS_SESSION))


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A call that is given a reference, or made on it."""

    chain: Chain
    site: CallSite
    on_it: bool


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A loop's body, or with `loop` None the body of a function.

    `bound` are the names that it binds, a function's parameters apart, with what it assigns
    to them, None unless it does that in one place; `items` are the references whose items it
    sets, `attributes` the attributes that it sets on anything.
    """

    scope: Scope
    loop: Frame | None
    bound: dict[str, ast.expr | None]
    items: frozenset[Chain]
    attributes: frozenset[str]
    accesses: dict[str, tuple[Access, ...]]


def chain_of(node: ast.expr) -> Chain | None:
    """The chain that an expression spells; None for anything else."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return (node.id, *reversed(attributes)) if isinstance(node, ast.Name) else None


def holder_of(node: ast.expr) -> Chain | None:
    """The chain at the root of an expression, through items: of `x.y[0]`, that of `x.y`."""
    while isinstance(node, (ast.Subscript, ast.Starred)):
        node = node.value
    return chain_of(node)


def region_of_loop(analysis: Analysis, loop: Frame) -> Region:
    def find() -> Region:
        return _region(loop.scope, loop, _names_bound([loop.node]))

    return analysis.remember(("region", loop.node), find, None) or find()


def region_of_function(analysis: Analysis, function: Scope) -> Region:
    node = function.node
    assert not isinstance(node, (ast.Module, ast.ClassDef))
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)

    def find() -> Region:
        return _region(function, None, _names_bound(body))

    return analysis.remember(("region", node), find, None) or find()


def _names_bound(roots: list[ast.AST]) -> dict[str, ast.expr | None]:
    """Every name that is bound within a piece of code, functions in it apart."""
    found: dict[str, ast.expr | None] = {}
    pending = roots[:]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:  # type: ignore[attr-defined]
                found[node.id] = None  # type: ignore[attr-defined]
            continue
        if kind is ast.Constant or kind is ast.Lambda:
            continue
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                found[target.id] = None if target.id in found else node.value
                pending.append(node.value)
                continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] = None
            continue
        if isinstance(node, ast.alias):
            found[(node.asname or node.name).partition(".")[0]] = None
            continue
        named = getattr(node, "name", None) or getattr(node, "rest", None)
        if isinstance(named, str):  # a handler, or a pattern
            found[named] = None
        for name in node._fields:
            value = getattr(node, name)
            if type(value) is list:
                pending.extend(part for part in value if isinstance(part, ast.AST))
            elif isinstance(value, ast.AST):
                pending.append(value)
    return found


def _region(scope: Scope, loop: Frame | None, bound: dict[str, ast.expr | None]) -> Region:
    accesses: dict[str, list[Access]] = {}
    for site in scope.calls:
        if loop is not None and loop not in site.frames:
            continue
        node = site.node
        if isinstance(node.func, ast.Attribute):
            on_it = Access((), site, on_it=True)
            _note(accesses, node.func.value, on_it)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            parts = argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else (argument,)
            for part in parts:
                _note(accesses, part, Access((), site, on_it=False))
    items = {
        chain
        for target, frames in scope.item_writes
        if (loop is None or loop in frames) and (chain := holder_of(target)) is not None
    }
    attributes = {
        write.attribute for write in scope.attribute_writes if loop is None or loop in write.frames
    }
    found = {name: tuple(uses) for name, uses in accesses.items()}
    return Region(scope, loop, bound, frozenset(items), frozenset(attributes), found)


def _note(accesses: dict[str, list[Access]], node: ast.expr, access: Access) -> None:
    chain = holder_of(node)
    if chain is not None:
        accesses.setdefault(chain[0], []).append(replace(access, chain=chain))


def sites_of(region: Region) -> Iterator[CallSite]:
    for site in region.scope.calls:
        if region.loop is None or region.loop in site.frames:
            yield site


# What is written to


def untouched(analysis: Analysis, chain: Chain, region: Region) -> bool:
    """Whether nothing in the region may write to what a chain leads to, or rebind its parts."""
    if not region.attributes.isdisjoint(chain[1:]):
        return False
    for written in region.items:
        if _related(written, chain):
            return False
    return not any(
        _may_write(analysis, access, chain)
        for access in region.accesses.get(chain[0], ())
        if _related(access.chain, chain)
    )


def _related(first: Chain, second: Chain) -> bool:
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]


def _may_write(analysis: Analysis, access: Access, chain: Chain) -> bool:
    name = last_name(access.site)
    if access.on_it:
        if len(access.chain) >= len(chain) and writes_by_name(name):
            return not _is_module(analysis, access)
    elif name in KEEPING:
        return False
    if any(keyword.arg == "out" for keyword in access.site.node.keywords):
        return True
    if name in harmless_names(analysis) and not _is_defined(analysis, access.site, name):
        return False
    held = callgraph.callee(analysis, access.site)
    if access.on_it and len(access.chain) < len(chain) and _is_stored(analysis, access):
        return False
    facts = [analysis.knowledge.fact(n) for n in callgraph.external_names(held)]
    if facts and len(facts) == len(held):
        return any(fact is None or not WRITING.isdisjoint(fact.traits) for fact in facts)
    if _is_known_layer(analysis, held):
        return access.on_it and len(access.chain) >= len(chain)
    # What callers pass is taken to be like what is known of it.
    known = tuple(term for term in held if not isinstance(term, (Unknown, Argument)))
    targets = callgraph.targets_of(analysis, known)
    if not targets or len(targets) < len(known):
        return True
    rest = chain[len(access.chain) :]
    for target in targets:
        if rest and not attributes_touched(analysis, target.function).isdisjoint(rest):
            return True
        if not access.on_it and not rest and _changes_argument(analysis, access, target):
            return True
    return False


def writes_by_name(name: str) -> bool:
    """Whether methods so named write to their object; in-place operations end in `_`."""
    return name in MUTATING or (name.endswith("_") and not name.startswith("_"))


def _is_defined(analysis: Analysis, site: CallSite, name: str) -> bool:
    """Whether the project has a function of this name that the call may mean."""
    return outline.is_defined(analysis, site.scope.module_path, name)


def _is_stored(analysis: Analysis, access: Access) -> bool:
    """Whether `x.y()` calls an object stored in `x`, which knows nothing of `x`."""
    function = access.site.node.func
    assert isinstance(function, ast.Attribute)
    held = values.evaluate(analysis, function.value, access.site.scope)
    objects = [term for term in held if isinstance(term, Object)]
    return bool(objects) and all(
        classes.method_of(analysis, term.cls, function.attr) is None
        and bool(classes.attribute_writes(analysis, term.cls, function.attr))
        for term in objects
    )


def _is_module(analysis: Analysis, access: Access) -> bool:
    function = access.site.node.func
    assert isinstance(function, ast.Attribute)
    held = values.evaluate(analysis, function.value, access.site.scope)
    return bool(held) and all(isinstance(term, External) for term in held)


def _is_known_layer(analysis: Analysis, held: tuple[object, ...]) -> bool:
    """Whether every term is an object whose calls are known to leave their arguments alone."""
    return bool(held) and all(
        isinstance(term, Instance)
        and (known := analysis.knowledge.type(term.type)) is not None
        and bool(known.call_traits or known.call_returns)
        for term in held
    )


def _changes_argument(analysis: Analysis, access: Access, target: callgraph.Target) -> bool:
    for name, argument in callgraph.bound_arguments(access.site.node, target).items():
        if holder_of(argument) == access.chain and (
            name in parameters_touched(analysis, target.function)
        ):
            return True
    return False


def parameters_touched(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The parameters whose objects the function writes to, in callees of the project too."""

    def find() -> frozenset[str]:
        analysis.module_of(function)
        region = region_of_function(analysis, function)
        found = {chain[0] for chain in region.items}
        found |= {write.base for write in function.attribute_writes}
        flow = analysis.module_of(function).flow(function)
        for name, definitions in flow.all.items():
            if any(d.binding is Binding.AUGMENTED for d in definitions):
                found.add(name)
        for name, accesses in region.accesses.items():
            for access in accesses:
                called = last_name(access.site)
                if access.on_it and (called in MUTATING or called.endswith("_")):
                    found.add(name)
                elif not access.on_it and called not in harmless_names(analysis):
                    for target in callgraph.targets(analysis, access.site):
                        if _changes_argument(analysis, access, target):
                            found.add(name)
        return frozenset(found)

    return analysis.remember(("parameters touched", function), find, frozenset())


def attributes_touched(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes that the function, or one it calls, sets or writes through."""

    def find() -> frozenset[str]:
        analysis.module_of(function)
        region = region_of_function(analysis, function)
        found = set(region.attributes)
        found.update(part for chain in region.items for part in chain[1:])
        for accesses in region.accesses.values():
            for access in accesses:
                called = last_name(access.site)
                if access.on_it and (
                    called in MUTATING or (called.endswith("_") and not called.startswith("_"))
                ):
                    found.update(access.chain[1:])
        for site in function.calls:
            if last_name(site) not in harmless_names(analysis):
                for target in callgraph.targets(analysis, site):
                    found |= attributes_touched(analysis, target.function)
        return frozenset(found)

    if function.kind is not ScopeKind.FUNCTION:
        return frozenset()
    return analysis.remember(("attributes touched", function), find, frozenset())


def last_name(site: CallSite) -> str:
    """The last name of the callee as written, "" where it has none."""
    return scopes.last_name(site.node.func) or ""


def harmless_names(analysis: Analysis) -> frozenset[str]:
    """Last names that only callables have which leave their arguments as they are."""
    wanted = analysis.project.trigger_names(_HARMLESS)
    return analysis.remember(
        ("harmless names",),
        lambda: wanted - analysis.project.trigger_names(WRITING),
        frozenset(),
    )
