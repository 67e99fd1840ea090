"""Which objects the iterations of a loop change in place, whatever leads to them.

Names tell that `flat` shows `table`. Here an object is known by the expression that made it, so
that it is found again in a list, in what another object keeps, and in what a generator was given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops.regions import Region, region_of_function, sites_of
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain
from deepperf.semantics.values import elements, values
from deepperf.semantics.values.terms import (
    Argument,
    Display,
    FunctionTerm,
    Generated,
    Instance,
    Object,
    Term,
    Value,
)
from deepperf.semantics.writes import aliases, attributes, in_place, parameters, writes

_MOST = 24
"""Objects after which no more is asked about what a reference leads to."""
_DEEPEST = 3
_KEPT = frozenset(("__init__", "__post_init__", "setup", "build"))
"""Where what an object keeps is made: other functions make their own at each call."""


def is_changed(analysis: Analysis, node: ast.expr, region: Region) -> bool:
    """Whether the region may change in place what a reference leads to, or what that holds.

    By its own name it does not.
    """
    root = aliases.root_of(node)
    if root is not None and (
        _shows_changed(analysis, root, region) or _was_given_changed(analysis, node, root, region)
    ):
        return True
    changed = _changed(analysis, region)
    if not changed:
        return False
    held = _objects(analysis, node, region.scope, region.scope)
    if root is not None and _shows_given(analysis, root, region.scope):
        # What another call of the function made, this one does not change.
        held = {one for one in held if isinstance(one, Argument) or _scope(one) is not region.scope}
    return not changed.isdisjoint((*held, *_contents(analysis, tuple(held))))


def _shows_changed(analysis: Analysis, name: ast.Name, region: Region) -> bool:
    """Whether the region writes to what a name was made a view of, or another name for."""
    others = {chain for chain in aliases.shown(analysis, name, region.scope) if chain != (name.id,)}
    changed = writes.written_objects(analysis, region, name) if others else ()
    return any(writes.related(one, other) for one in changed for other in others)


def _was_given_changed(analysis: Analysis, node: ast.expr, root: ast.Name, region: Region) -> bool:
    """Whether the region may write to what an object was given to keep in what is read of it."""
    chain = tree.chain_of(node)
    if chain is None or len(chain) < 2:
        return False
    given: set[Chain] = set()
    pending = [(root, chain[1])]
    seen: set[str] = set()
    while pending:
        name, attribute = pending.pop()
        seen.add(name.id)
        for argument in _given_by_name(analysis, name, attribute, region.scope):
            for part in tree.walk(argument):
                if isinstance(part, (ast.Name, ast.Attribute)) and (other := tree.chain_of(part)):
                    given.add(other)
                if isinstance(part, ast.Name) and part.id not in seen:
                    pending.append((part, ""))
    if not given:
        return False
    changed = writes.written_objects(analysis, region, root) | _handed_to_unknown(analysis, region)
    return any(writes.related(one, other) for one in changed for other in given)


def _handed_to_unknown(analysis: Analysis, region: Region) -> frozenset[Chain]:
    """What the region gives to calls of which nothing is known: they may write to it."""

    def find() -> frozenset[Chain]:
        return frozenset(
            chain
            for accesses in region.accesses.values()
            for access in accesses
            if not access.on_it
            and writes.of_access(analysis, access, access.chain) is Certainty.UNKNOWN
            for place in in_place.places(access)
            for chain in aliases.shown(analysis, place, region.scope)
        )

    key = region.scope.node if region.loop is None else region.loop.node
    nothing: frozenset[Chain] = frozenset()
    return analysis.remember(("handed to unknown", key), find, nothing)


def _given_by_name(
    analysis: Analysis, name: ast.Name, attribute: str, scope: Scope
) -> Iterator[ast.expr]:
    """What the object that a name leads to was given where the scope made it."""
    for definition in values.definitions_of(analysis, name, scope):
        if definition.scope is scope and isinstance(definition.value, ast.Call):
            yield from _given_to_keep(analysis, definition.value, scope, attribute)


def _given_to_keep(
    analysis: Analysis, call: ast.Call, scope: Scope, attribute: str
) -> Iterator[ast.expr]:
    """What a constructor is given that it keeps in an attribute, in a list or by `partial` too.

    With no attribute named, what it keeps in any.
    """
    site = analysis.site_of(call, scope)
    for target in callgraph.targets(analysis, site) if site is not None else ():
        if target.function.name != "__init__":
            continue
        analysis.module_of(target.function)
        bound = callgraph.bound_arguments(call, target)
        rest = [one for one in call.args if all(one is not known for known in bound.values())]
        for write in target.function.attribute_writes:
            value = write.value if attribute in (write.attribute, "") else None
            if isinstance(value, ast.Call) and last_name(value.func) != "partial":
                continue
            for name in sorted(tree.names_in(value) if value is not None else ()):
                yield from [bound[name]] if name in bound else rest


def _changed(analysis: Analysis, region: Region) -> frozenset[Term]:
    """What the region changes, in what it calls and in the generators that it goes over too."""

    def find() -> frozenset[Term]:
        return frozenset(
            term
            for place, scope in _places(analysis, region)
            for term in _objects(analysis, place, scope, region.scope)
            if _lasts(term, region)
        )

    key = region.scope.node if region.loop is None else region.loop.node
    nothing: frozenset[Term] = frozenset()
    return analysis.remember(("objects changed", key), find, nothing)


def _lasts(term: Term, region: Region) -> bool:
    """Whether an object may be there before the iteration, and be the same one in the next."""
    if isinstance(term, Argument):
        return term.scope is region.scope
    made = term.node if isinstance(term, Display) else getattr(term, "site", None)
    if made is None or (
        region.loop is not None and any(part is made for part in tree.walk(region.loop.node))
    ):
        return False
    scope = _scope(term) or region.scope
    is_own = scope in (region.scope, region.scope.parent) or scope.kind is not ScopeKind.FUNCTION
    return is_own or scope.name in _KEPT


def _scope(term: Term) -> Scope | None:
    """Where an object is made, as far as that is told."""
    return getattr(term, "scope", None)


def _places(analysis: Analysis, region: Region) -> Iterator[tuple[ast.expr, Scope]]:
    for place in writes.places_written(analysis, region):
        yield place, region.scope
    yield from ((place, region.scope) for place in _added_to(region))
    for site in sites_of(region):
        yield from ((place, region.scope) for place in _handed_to_function(analysis, site))
    for one in attributes.running(analysis, region):
        for function in attributes.led_to(analysis, one.function):
            yield from _own_places_of(analysis, function)
    for function in _fed_by(analysis, region):
        for place in writes.places_written(analysis, region_of_function(analysis, function)):
            yield place, function


def _added_to(region: Region) -> Iterator[ast.expr]:
    """What stands in a container or an object, and is added to there: `rows[0] += 1`."""
    root = region.scope.node if region.loop is None else region.loop.node
    for part in tree.walk(root):
        if isinstance(part, ast.AugAssign) and not isinstance(part.target, ast.Name):
            yield part.target


def _handed_to_function(analysis: Analysis, site: CallSite) -> Iterator[ast.expr]:
    """What a call is given beside a function of the project that changes what it is called with."""
    given = tree.arguments(site.node)
    if len(given) > 1 and any(_changes_given(analysis, one, site.scope) for one in given):
        for one in given:
            yield from (one, ast.Starred(one, ast.Load()))


def _changes_given(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Lambda)):
        return False
    held = values.evaluate(analysis, node, scope)
    functions = [term.scope for term in held if isinstance(term, FunctionTerm)]
    return any(
        _is_given(function, name)
        for function in functions
        for name in parameters.touched(analysis, function)
    )


def _own_places_of(analysis: Analysis, function: Scope) -> tuple[tuple[ast.expr, Scope], ...]:
    """As `_own_places`, for all regions that run a function."""
    return analysis.reuse(("own places", function), lambda: tuple(_own_places(analysis, function)))


def _own_places(analysis: Analysis, function: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    """What a function changes of what it was not given: that is asked where it is called."""
    region = region_of_function(analysis, function)
    for place in (*in_place.changed_in_place(analysis, region), *_added_to(region)):
        root = aliases.root_of(place)
        if root is not None and not _shows_given(analysis, root, function):
            yield place, function


def _shows_given(analysis: Analysis, name: ast.Name, function: Scope) -> bool:
    """Whether a name leads to what a function was given, its own object apart."""
    return any(
        definition.binding is Binding.PARAMETER and _is_given(function, definition.name)
        for definition in aliases.sources(analysis, name, function)
    )


def _is_given(function: Scope, name: str) -> bool:
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    given = [one.arg for one in tree.walk(node.args) if isinstance(one, ast.arg)]
    is_method = function.parent is not None and function.parent.kind is ScopeKind.CLASS
    return name in (given[1:] if is_method else given)


def _fed_by(analysis: Analysis, region: Region) -> Iterator[Scope]:
    """The generators of the project that run on between the iterations."""
    for loop in () if region.loop is None else tree.walk(region.loop.node):
        if isinstance(loop, (ast.For, ast.AsyncFor, ast.comprehension)):
            for part in tree.walk(loop.iter):
                if isinstance(part, (ast.Call, ast.Name, ast.Attribute)):
                    held = values.evaluate(analysis, part, region.scope)
                    yield from (term.scope for term in held if isinstance(term, Generated))


def _objects(analysis: Analysis, node: ast.expr, scope: Scope, setting: Scope) -> set[Term]:
    """What an expression may lead to, and what it is a view of.

    Attributes lead to what the scope `setting` gives to any of their names, too.
    """
    found: set[Term] = set()
    pending = [(node, scope)]
    seen: set[int] = set()
    while pending and len(found) < _MOST:
        part, where = pending.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, ast.Starred):
            whole = values.evaluate(analysis, part.value, where)
            found.update(_contents(analysis, whole))
        pending += [(base, where) for base in _viewed(analysis, part, where)]
        if isinstance(part, ast.Attribute):
            pending += [
                (write.value, setting)
                for write in setting.attribute_writes
                if write.attribute == part.attr and write.value is not None and not write.unpacking
            ]
        for term in (*values.evaluate(analysis, part, where), *_of_items(analysis, part, where)):
            if isinstance(term, (Display, Object, Argument)):
                found.add(term)
            elif isinstance(term, Instance) and not aliases.is_immutable(analysis, term):
                found.add(term)
                if term.site is not None:
                    pending.append((term.site, term.scope))
    return found


def _of_items(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[Term]:
    """What the objects in a list keep of which an attribute is read as if the list had it."""
    held = values.evaluate(analysis, node.value, scope) if isinstance(node, ast.Attribute) else ()
    displays = tuple(term for term in held if isinstance(term, Display))
    for term in elements.elements(analysis, displays) if displays else ():
        if isinstance(term, Object) and isinstance(node, ast.Attribute):
            yield from values.attribute_of(analysis, term, node, scope)


def _viewed(analysis: Analysis, node: ast.expr, scope: Scope) -> list[ast.expr]:
    """What an expression shows, as a view or as it is, though it makes an object of its own."""
    if isinstance(node, ast.Attribute):
        return [node.value] if node.attr in aliases.SAME else []
    if isinstance(node, ast.Subscript):
        held = values.evaluate(analysis, node.value, scope)
        return [] if held and all(isinstance(one, Display) for one in held) else [node.value]
    if not isinstance(node, ast.Call):
        return []
    if last_name(node.func) in members.SHARING:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return node.args[:1] or ([] if owner is None else [owner])
    return aliases.viewed_by(analysis, node, scope)


def _contents(analysis: Analysis, held: Value) -> Iterator[Term]:
    """What lists and dicts hold, and what is held by that.

    Variables of a model stand beside settings and data there, of which one is read by its name.
    """
    for _ in range(_DEEPEST):
        displays = tuple(term for term in held if isinstance(term, Display))
        inner = [*_came_with(analysis, held)]
        if not displays and not inner:
            return
        inner += elements.elements(analysis, displays) if displays else ()
        for one in displays:
            inner += elements.any_entry(analysis, one) if isinstance(one.node, ast.Dict) else ()
        held = tuple(dict.fromkeys(inner))
        for term in held:
            if not isinstance(term, Instance):
                yield term
            elif term.site is not None and not effects.is_variable(analysis, term):
                yield from _objects(analysis, term.site, term.scope, term.scope)


def _came_with(analysis: Analysis, held: Value) -> Iterator[Term]:
    """What `functools.partial` gave functions."""
    for term in held:
        if not isinstance(term, Instance) or not isinstance(term.site, ast.Call):
            continue
        if last_name(term.site.func) == "partial":
            for one in tree.arguments(term.site)[1:]:
                yield from values.evaluate(analysis, one, term.scope)
