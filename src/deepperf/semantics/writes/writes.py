"""What the iterations of a loop, or a call of a function, may write to.

What the text tells comes first; whom a call runs is asked only where that leaves it open.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import has
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops.regions import (
    Access,
    Region,
    holder_of,
    last_name,
)
from deepperf.semantics.models import by_name
from deepperf.semantics.names.scopes import Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    Argument,
    Instance,
    Object,
    Term,
    Unknown,
    Value,
)
from deepperf.semantics.writes import aliases, attributes, in_place, parameters
from deepperf.semantics.writes.harmless import WRITING, is_harmless, writes_by_name

KEEPING = (members.CONTAINER_ADDITIONS | {"push"}) - {"update"}
"""Those that keep what they are given; `update` copies it."""

_PAUSES = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


def written(
    analysis: Analysis, chain: Chain, region: Region, use: ast.Name | None = None
) -> Certainty:
    """Whether the region writes to what a chain leads to, or sets an attribute on the way.

    Unknown where that is given to a call of which nothing is known. What the name leads to may
    be another object elsewhere: `use` is where it is asked about.
    """
    if not region.attributes.isdisjoint(chain[1:]):
        return Certainty.YES
    if len(chain) == 1 and chain[0] in region.objects:
        return Certainty.YES
    if any(related(items, chain) for items in region.items) and any(
        _is_meant(analysis, place, use, region)
        for items, place in _item_places(region)
        if related(items, chain)
    ):
        return Certainty.YES
    if any(other[: len(chain)] == chain for other in written_objects(analysis, region, use)):
        return Certainty.YES
    if len(chain) > 1 and _is_touched(analysis, chain, region):
        return Certainty.YES
    found = _changed_by_call(analysis, chain, region)
    if found is Certainty.YES:
        return found
    for access in region.accesses.get(chain[0], ()):
        if related(access.chain, chain) and any(
            _is_meant(analysis, place, use, region) for place in in_place.places(access)
        ):
            answer = of_access(analysis, access, chain)
            if answer is Certainty.YES:
                return answer
            if answer is Certainty.UNKNOWN:
                found = answer
    if found is Certainty.NO and len(chain) > 1 and _is_set_meanwhile(analysis, chain, region):
        return Certainty.UNKNOWN
    return found


def _is_set_meanwhile(analysis: Analysis, chain: Chain, region: Region) -> bool:
    """Whether others, to which the iterations of a loop hand over, set an attribute of
    that name.
    """
    if region.loop is None or not any(
        isinstance(part, _PAUSES) for part in tree.walk(region.loop.node)
    ):
        return False
    return any(
        write.attribute in chain[1:] and scope.name != "__init__" and scope is not region.scope
        for scope in analysis.module_of(region.scope).all_scopes
        for write in scope.attribute_writes
    )


def _is_touched(analysis: Analysis, chain: Chain, region: Region) -> bool:
    """Whether what the region runs may set what a chain reads, on its object or one like it."""
    run = attributes.running(analysis, region)
    owner = ast.Name(chain[0], ast.Load())
    held = values.evaluate(analysis, owner, region.scope) if run else ()
    return any(
        not _is_another(held, one.receiver)
        and not attributes.touched(analysis, one.function).isdisjoint(chain[1:])
        for one in run
    )


def _is_another(held: Value, receiver: Term | None) -> bool:
    """Whether an object is made by the same class as others, but elsewhere."""
    return bool(held) and all(
        isinstance(term, Object)
        and isinstance(receiver, Object)
        and term.cls is receiver.cls
        and term.site is not None
        and receiver.site is not None
        and term.site is not receiver.site
        for term in held
    )


def written_objects(
    analysis: Analysis, region: Region, use: ast.Name | None = None
) -> frozenset[Chain]:
    """The references that lead to what the region changes in place, by whatever names it does.

    Where `use` is given, what surely is another object than that leads to is left out.
    """

    def find() -> frozenset[Chain]:
        return _shown(analysis, places_written(analysis, region), region)

    key = region.scope.node if region.loop is None else region.loop.node
    found: frozenset[Chain] = analysis.remember(("written objects", key), find, frozenset())
    if not found or use is None or not _has_several(analysis, use, region):
        return found
    places = [
        place
        for place in places_written(analysis, region)
        if _is_meant(analysis, place, use, region)
    ]
    return _shown(analysis, places, region)


def places_written(analysis: Analysis, region: Region) -> list[ast.expr]:
    def find() -> list[ast.expr]:
        places = [*in_place.changed_in_place(analysis, region)]
        for accesses in region.accesses.values():
            for access in accesses:
                if not access.on_it and parameters.touches(analysis, access):
                    places += in_place.places(access)
        return places

    key = region.scope.node if region.loop is None else region.loop.node
    return analysis.remember(("places written", key), find, [])


def _shown(analysis: Analysis, places: list[ast.expr], region: Region) -> frozenset[Chain]:
    return frozenset().union(*(aliases.shown(analysis, place, region.scope) for place in places))


def _item_places(region: Region) -> Iterator[tuple[Chain, ast.expr]]:
    """Where the region sets items, with what of."""
    for target, frames in region.scope.item_writes:
        if region.loop is None or region.loop in frames:
            chain = holder_of(target)
            if chain is not None:
                yield chain, target


def _is_meant(analysis: Analysis, place: ast.expr, use: ast.Name | None, region: Region) -> bool:
    """Whether a place of the region may lead to the object that is asked about."""
    if use is None or not _has_several(analysis, use, region):
        return True
    return not aliases.are_apart(analysis, use, place, region.scope)


def _has_several(analysis: Analysis, use: ast.Name, region: Region) -> bool:
    """Whether the scope binds the name in several places, so that it may lead elsewhere."""
    scope = region.scope
    if use.id not in scope.bound:
        return False
    return len(analysis.module_of(scope).flow(scope).all.get(use.id, ())) > 1


def _changed_by_call(analysis: Analysis, chain: Chain, region: Region) -> Certainty:
    """Whether calls of the object that a chain reads from set what it reads, as models may."""
    found = Certainty.NO
    for access in region.called.get(chain[0], ()) if len(chain) > 1 else ():
        length = len(access.chain)
        if length >= len(chain) or chain[:length] != access.chain:
            continue
        targets = callgraph.targets(analysis, access.site)
        for target in targets:
            if not attributes.touched(analysis, target.function).isdisjoint(chain[length:]):
                return Certainty.YES
        if not targets and not _is_known_layer(analysis, callgraph.callee(analysis, access.site)):
            found = Certainty.UNKNOWN
    return found


def related(first: Chain, second: Chain) -> bool:
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]


# One call


def of_access(analysis: Analysis, access: Access, chain: Chain) -> Certainty:
    """Whether a call writes to what a chain leads to, by way of what it is given or made on."""
    name = last_name(access.site)
    if access.on_it:
        if len(access.chain) >= len(chain) and writes_by_name(name):
            is_module = in_place.is_module(analysis, access.site.node.func, access.site.scope)
            return Certainty.NO if is_module else Certainty.YES
    elif in_place.is_output(access):
        return Certainty.YES
    elif name in KEEPING:
        return Certainty.NO
    if is_harmless(analysis, access.site):
        return Certainty.NO
    if not access.on_it and by_name.is_called(analysis, access.site):
        return Certainty.NO
    held = callgraph.callee(analysis, access.site)
    if access.on_it and len(access.chain) < len(chain) and _is_stored(analysis, access):
        return Certainty.NO
    facts = [analysis.knowledge.fact(n) for n in callgraph.external_names(held)]
    if facts and len(facts) == len(held):
        if any(has(fact, *WRITING) for fact in facts):
            return Certainty.YES
        return Certainty.UNKNOWN if None in facts else Certainty.NO
    # What callers pass is taken to be like what is known of it.
    known = tuple(term for term in held if not isinstance(term, (Unknown, Argument)))
    if _is_known_layer(analysis, known):
        is_own = access.on_it and len(access.chain) >= len(chain)
        return Certainty.UNKNOWN if is_own else Certainty.NO
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
        if not is_harmless(analysis, site)
    )


def _writes_in(analysis: Analysis, access: Access, chain: Chain, target: callgraph.Target) -> bool:
    """Whether a function of the project that the call runs writes to what the chain leads to."""
    rest = chain[len(access.chain) :]
    if rest:
        read = _read_by(analysis, target, rest[0])
        return not attributes.touched(analysis, target.function).isdisjoint((*rest, *read))
    changed = parameters.touched(analysis, target.function)
    return not parameters.become(access, target).isdisjoint(changed)


def _read_by(analysis: Analysis, target: callgraph.Target, name: str) -> frozenset[str]:
    """What a property of the object reads whose method is called; its file need not be imported."""
    receiver = target.receiver
    held = classes.method_of(analysis, receiver.cls, name) if isinstance(receiver, Object) else None
    return effects.attributes_read(analysis, held) if isinstance(held, Scope) else frozenset()


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


def _is_known_layer(analysis: Analysis, held: tuple[object, ...]) -> bool:
    """Whether every term is an object whose calls are known to leave their arguments alone."""
    return bool(held) and all(
        isinstance(term, Instance)
        and (known := analysis.knowledge.type(term.type)) is not None
        and bool(known.call_traits or known.call_returns)
        for term in held
    )


# What the functions in a scope write to


def written_through(analysis: Analysis, scope: Scope) -> frozenset[str]:
    """The names of a scope whose objects some function within it, or a loop of its own, writes to.

    What it does once is done before the iterations of a loop elsewhere, or after them.
    """

    def find() -> frozenset[str]:
        inner = (function for function in scope.walk() if function is not scope)
        return _names_written_again(scope).union(*(_names_written(one) for one in inner))

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
    return frozenset(name for name, _ in _writes_of(scope))


def _names_written_again(scope: Scope) -> frozenset[str]:
    """The names to whose objects loops of a scope write."""
    return frozenset(
        name for name, frames in _writes_of(scope) if any(frame.is_loop for frame in frames)
    )


def _writes_of(scope: Scope) -> Iterator[tuple[str, tuple[Frame, ...]]]:
    """The names to whose objects the lines of a scope write, and what stands around these."""
    for write in scope.attribute_writes:
        yield write.base, write.frames
    targets = list(scope.item_writes)
    for site in scope.calls:
        function = site.node.func
        if isinstance(function, ast.Attribute) and writes_by_name(function.attr):
            targets.append((function.value, site.frames))
    for target, frames in targets:
        chain = holder_of(target)
        if chain is not None:
            yield chain[0], frames
