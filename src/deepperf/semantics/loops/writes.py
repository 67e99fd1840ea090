"""What the turns of a loop, or a call of a function, may write to.

What the text tells comes first; whom a call runs is asked only where that leaves it open.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files import outline
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.certainty import Certainty
from deepperf.semantics.loops.regions import (
    Access,
    Region,
    holder_of,
    last_name,
    region_of_function,
    sites_of,
)
from deepperf.semantics.models import frozen
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Argument, External, Instance, Object, Unknown

KEEPING = (members.CONTAINER_ADDITIONS | {"push"}) - {"update"}
"""Those that keep what they are given; `update` copies it."""
_HARMLESS = frozenset(
    (Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.VIEWS, Trait.PURE, Trait.PRINTS)
) | frozenset(
    (Trait.CASTS, Trait.SYNCS_HOST, Trait.RANDOM, Trait.READS_STATE, Trait.CREATES_DATASET)
)
WRITING = frozenset((Trait.WRITES_STATE, Trait.TRAINS, Trait.RUNS_SESSION))


def written(analysis: Analysis, chain: Chain, region: Region) -> Certainty:
    """Whether the region writes to what a chain leads to, or sets an attribute on the way.

    Unknown where that is given to a call of which nothing is known.
    """
    if not region.attributes.isdisjoint(chain[1:]):
        return Certainty.YES
    if len(chain) == 1 and chain[0] in region.objects:
        return Certainty.YES
    if any(_related(items, chain) for items in region.items):
        return Certainty.YES
    found = _changed_by_call(analysis, chain, region)
    if found is Certainty.YES:
        return found
    for access in region.accesses.get(chain[0], ()):
        if _related(access.chain, chain):
            answer = _writes(analysis, access, chain)
            if answer is Certainty.YES:
                return answer
            if answer is Certainty.UNKNOWN:
                found = answer
    return found


def _changed_by_call(analysis: Analysis, chain: Chain, region: Region) -> Certainty:
    """Whether calls of the object that a chain reads from set what it reads, as models may."""
    found = Certainty.NO
    for access in region.called.get(chain[0], ()) if len(chain) > 1 else ():
        length = len(access.chain)
        if length >= len(chain) or chain[:length] != access.chain:
            continue
        targets = callgraph.targets(analysis, access.site)
        for target in targets:
            if not attributes_touched(analysis, target.function).isdisjoint(chain[length:]):
                return Certainty.YES
        if not targets and not _is_known_layer(analysis, callgraph.callee(analysis, access.site)):
            found = Certainty.UNKNOWN
    return found


def rebinds(analysis: Analysis, attribute: str, region: Region) -> bool:
    """Whether the region, or what it calls, sets an attribute of this name on anything."""
    return attribute in region.attributes or any(
        attribute in attributes_set(analysis, target.function)
        for site in sites_of(region)
        if not _is_harmless(analysis, site)
        for target in callgraph.targets(analysis, site)
    )


def writes_by_name(name: str) -> bool:
    """Whether methods so named write to their object; in-place operations end in `_`."""
    return name in members.CHANGES or (name.endswith("_") and not name.startswith("_"))


def harmless_names(analysis: Analysis) -> frozenset[str]:
    """Last names that only callables have which leave their arguments as they are."""
    project = analysis.project
    return project.named(
        "harmless",
        lambda: project.trigger_names(_HARMLESS) - project.trigger_names(WRITING),
    )


def _harmless_members(analysis: Analysis) -> frozenset[str]:
    """Names after a dot that no method has which changes what it is called on, or is given.

    Functions of modules that change a state of their own (`tf.metrics.mean`) leave arrays alone;
    a module that is moved or cast again in each turn stays what it was after the first.
    """
    project = analysis.project

    def find() -> frozenset[str]:
        writing = project.knowledge.method_names(WRITING) - members.CONVERSIONS
        return project.trigger_names(_HARMLESS) - writing - members.CHANGES

    return project.named("harmless members", find)


def _is_harmless(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call goes by a harmless name that nothing in the project has."""
    name = last_name(site)
    is_member = isinstance(site.node.func, ast.Attribute)
    known = _harmless_members(analysis) if is_member else harmless_names(analysis)
    if name not in known or _is_of_function(site, name):
        return False
    return not outline.is_defined(analysis, site.scope.module_path, name)


def _is_of_function(site: CallSite, name: str) -> bool:
    """Whether what is called is a name that the function has: it was given it, or made it."""
    scope: Scope | None = site.scope
    while isinstance(site.node.func, ast.Name) and scope is not None:
        if scope.kind is ScopeKind.FUNCTION and name in scope.bound:
            return True
        scope = scope.parent
    return False


def _related(first: Chain, second: Chain) -> bool:
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]


# One call


def _writes(analysis: Analysis, access: Access, chain: Chain) -> Certainty:
    name = last_name(access.site)
    if access.on_it:
        if len(access.chain) >= len(chain) and writes_by_name(name):
            return Certainty.NO if _is_module(analysis, access) else Certainty.YES
    elif name in KEEPING:
        return Certainty.NO
    for keyword in access.site.node.keywords:
        if keyword.arg == "out" and _related(holder_of(keyword.value) or ("",), chain):
            return Certainty.YES
    if _is_harmless(analysis, access.site):
        return Certainty.NO
    # A model that is asked, and what it is asked about, stay as they are.
    if frozen.asked(analysis, access.site) is not None:
        return Certainty.NO
    held = callgraph.callee(analysis, access.site)
    if access.on_it and len(access.chain) < len(chain) and _is_stored(analysis, access):
        return Certainty.NO
    facts = [analysis.knowledge.fact(n) for n in callgraph.external_names(held)]
    if facts and len(facts) == len(held):
        if any(has(fact, *WRITING) for fact in facts):
            return Certainty.YES
        return Certainty.UNKNOWN if None in facts else Certainty.NO
    if _is_known_layer(analysis, held):
        is_own = access.on_it and len(access.chain) >= len(chain)
        return Certainty.UNKNOWN if is_own else Certainty.NO
    # What callers pass is taken to be like what is known of it.
    known = tuple(term for term in held if not isinstance(term, (Unknown, Argument)))
    targets = callgraph.targets_of(analysis, known)
    if not targets or len(targets) < len(known):
        return Certainty.UNKNOWN
    if any(_writes_in(analysis, access, chain, target) for target in targets):
        return Certainty.YES
    is_open = any(_may_do_anything(analysis, target.function) for target in targets)
    return Certainty.UNKNOWN if is_open else Certainty.NO


def _may_do_anything(analysis: Analysis, function: Scope) -> bool:
    """Whether it is a lambda that leads, past what it is given, to what is not known."""
    return isinstance(function.node, ast.Lambda) and any(
        not callgraph.callee(analysis, site) or callgraph.callee(analysis, site) == (Unknown(),)
        for site in function.calls
        if not _is_harmless(analysis, site)
    )


def _writes_in(analysis: Analysis, access: Access, chain: Chain, target: callgraph.Target) -> bool:
    """Whether a function of the project that the call runs writes to what the chain leads to."""
    rest = chain[len(access.chain) :]
    if rest:
        return not attributes_touched(analysis, target.function).isdisjoint(rest)
    if access.on_it:
        return _changes_receiver(analysis, target)
    return _changes_argument(analysis, access, target)


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
    return any(
        holder_of(argument) == access.chain
        and name in parameters_touched(analysis, target.function)
        for name, argument in callgraph.bound_arguments(access.site.node, target).items()
    )


def _changes_receiver(analysis: Analysis, target: callgraph.Target) -> bool:
    own = classes.receiver_name(target.function) if target.shift else None
    return own in parameters_touched(analysis, target.function)


# What a function writes to


def parameters_touched(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The parameters whose objects the function writes to, in callees of the project too."""

    def find() -> frozenset[str]:
        flow = analysis.module_of(function).flow(function)
        region = region_of_function(analysis, function)
        found = {chain[0] for chain in region.items} | region.objects
        for name, definitions in flow.all.items():
            if any(d.binding is Binding.AUGMENTED for d in definitions):
                found.add(name)
        for name, accesses in region.accesses.items():
            if any(_touches(analysis, access) for access in accesses):
                found.add(name)
        return frozenset(found)

    return analysis.remember(("parameters touched", function), find, frozenset())


def _touches(analysis: Analysis, access: Access) -> bool:
    if access.on_it and writes_by_name(last_name(access.site)):
        return True
    if _is_harmless(analysis, access.site):
        return False
    return any(
        _changes_receiver(analysis, target)
        if access.on_it
        else _changes_argument(analysis, access, target)
        for target in callgraph.targets(analysis, access.site)
    )


def attributes_touched(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes that the function, or one it calls, sets or writes through."""

    def find() -> frozenset[str]:
        analysis.module_of(function)
        region = region_of_function(analysis, function)
        found = set(region.attributes)
        found.update(part for chain in region.items for part in chain[1:])
        for accesses in region.accesses.values():
            for access in accesses:
                if access.on_it and writes_by_name(last_name(access.site)):
                    found.update(access.chain[1:])
        for site in function.calls:
            if not _is_harmless(analysis, site):
                for target in callgraph.targets(analysis, site):
                    found |= attributes_touched(analysis, target.function)
        for method in _methods_handed_on(function):
            found |= attributes_touched(analysis, method)
        return frozenset(found)

    if function.kind is not ScopeKind.FUNCTION:
        return frozenset()
    return analysis.remember(("attributes touched", function), find, frozenset())


def _methods_handed_on(function: Scope) -> Iterator[Scope]:
    """The methods of its own object that a function gives to calls, which run them perhaps."""
    cls, receiver = classes.enclosing_class(function), classes.receiver_name(function)
    methods = classes.methods_of(cls) if cls is not None and receiver is not None else {}
    for site in function.calls if methods else ():
        for given in tree.arguments(site.node):
            chain = tree.chain_of(given)
            if chain is not None and len(chain) == 2 and chain[0] == receiver:
                yield from filter(None, (methods.get(chain[1]),))


def attributes_set(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The attributes of any object that the function, or one it calls or holds, sets."""

    def find() -> frozenset[str]:
        analysis.module_of(function)
        found = {write.attribute for scope in function.walk() for write in scope.attribute_writes}
        for site in function.calls:
            if not _is_harmless(analysis, site):
                for target in callgraph.targets(analysis, site):
                    found |= attributes_set(analysis, target.function)
        return frozenset(found)

    if function.kind is not ScopeKind.FUNCTION:
        return frozenset()
    return analysis.remember(("attributes set", function), find, frozenset())


# What the functions in a scope write to


def written_through(analysis: Analysis, scope: Scope) -> frozenset[str]:
    """The names of a scope whose objects some function within it, or it itself, writes to."""

    def find() -> frozenset[str]:
        return frozenset().union(*(_names_written(inner) for inner in scope.walk()))

    return analysis.remember(("written through", scope), find, frozenset())


def written_inside(analysis: Analysis, scope: Scope) -> frozenset[str]:
    """The names of a scope whose objects, or which, a function defined in it changes."""

    def find() -> frozenset[str]:
        found: set[str] = set()
        for child in scope.children:
            for inner in child.walk():
                found |= (_names_written(inner) - inner.bound) | inner.outer_names
        return frozenset(found)

    return analysis.remember(("written inside", scope), find, frozenset())


def _names_written(scope: Scope) -> frozenset[str]:
    found = {write.base for write in scope.attribute_writes}
    targets = [target for target, _ in scope.item_writes]
    for site in scope.calls:
        function = site.node.func
        if isinstance(function, ast.Attribute) and writes_by_name(function.attr):
            targets.append(function.value)
    found |= {chain[0] for target in targets if (chain := holder_of(target)) is not None}
    return frozenset(found)
