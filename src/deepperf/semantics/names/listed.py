"""What stands in lists, tuples and dicts that are given a name, or handed to a call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from msgspec import Struct

from deepperf.knowledge.members import LIST_ADDITIONS
from deepperf.semantics.names.scopes import (
    COMPREHENSIONS,
    DISPLAYS,
    Branch,
    CallSite,
    Frame,
    Scope,
    Scopes,
    last_name,
)
from deepperf.semantics.text.tree import arguments, names_in, walk


class Listing(Struct, frozen=True, eq=False):
    """A list, tuple, set or dict as it is written out.

    `names` are those that it is assigned to, or of what it is put into; `given_to` is the call that
    it is an argument of, `loop` the one that goes over it where it is written out.
    """

    node: ast.expr
    names: tuple[str, ...]
    given_to: CallSite | None
    loop: Frame | None = None


def listings(scopes: Scopes) -> dict[str | int, list[Listing]]:
    """The displays of a module, by the names of their items, or of what is called to make them.

    A lambda has no name: it goes by its id.
    """
    found: dict[str | int, list[Listing]] = {}
    for site in scopes.call_sites.values():
        holder = _filled(site)
        for argument in arguments(site.node):
            if isinstance(argument, DISPLAYS):
                _add(found, Listing(argument, holder, site))
            elif holder and (name := _name(argument)) is not None:
                found.setdefault(name, []).append(Listing(argument, holder, site))
    for loop in (loop for scope in scopes.module.walk() for loop in scope.loops):
        iterable = _gone_over(loop)
        if isinstance(iterable, DISPLAYS):
            _add(found, Listing(iterable, (), None, loop))
    # What stands further out counts first, where not all can be looked at.
    for node, *_ in sorted(scopes.displayed, key=lambda one: _depth(*one[1:])):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = tuple(name for name in map(last_name, targets) if name is not None)
        if names and node.value is not None:
            _add(found, Listing(node.value, names, None))
    return found


def _depth(scope: Scope, frames: tuple[Frame, ...]) -> int:
    """How many statements, handlers and cases stand around what stands in some frames."""
    depth = 0
    while True:
        # Handlers and cases are nodes of their own between a statement and what is in them.
        depth += 1 + len(frames)
        depth += sum(f.branch is Branch.HANDLER or isinstance(f.node, ast.Match) for f in frames)
        if scope.parent is None:
            return depth
        frames, scope = scope.frames, scope.parent


def _filled(site: CallSite) -> tuple[str, ...]:
    """The name of what a call puts its argument into: of `hooks.append(save)`."""
    function = site.node.func
    if not isinstance(function, ast.Attribute) or function.attr not in LIST_ADDITIONS:
        return ()
    name = last_name(function.value)
    return () if name is None else (name,)


def _add(found: dict[str | int, list[Listing]], listing: Listing) -> None:
    for name in {_name(item) for item in _items(listing.node)}:
        if name is not None:
            found.setdefault(name, []).append(listing)


def _items(node: ast.expr) -> Iterator[ast.expr]:
    """What stands in a display, and in the pairs that stand in it: of `[(10, save)]`."""
    for item in node.values if isinstance(node, ast.Dict) else getattr(node, "elts", []):
        if isinstance(item, (ast.Tuple, ast.List)):
            yield from item.elts
        else:
            yield item


def _name(item: ast.expr) -> str | int | None:
    if isinstance(item, ast.Lambda):
        return id(item)
    return last_name(item.func if isinstance(item, ast.Call) else item)


def calls_of_items(scopes: Iterable[Scope]) -> dict[str, list[CallSite]]:
    """The calls, by name alone, of what loops take from something, or an index picks, by its name.

    Of `for step in steps: step(x)`, and `makers[kind](x)`.
    """
    found: dict[str, dict[CallSite, None]] = {}
    for scope in scopes:
        taken: dict[str, set[str]] = {}
        for loop in scope.loops:
            for item, whole in _taken(loop):
                taken.setdefault(item, set()).add(whole)
        for site in scope.calls:
            function = site.node.func
            if isinstance(function, ast.Name):
                wholes = taken.get(function.id, set())
            else:
                name = last_name(picked) if (picked := _picked_in(function)) is not None else None
                wholes = set() if name is None else {name}
            for whole in wholes:
                found.setdefault(whole, {})[site] = None
    return {whole: list(sites) for whole, sites in found.items()}


def _picked_in(function: ast.expr) -> ast.expr | None:
    """What an item is picked of to be called: of `makers[kind](…)`, or `makers.get(kind)(…)`."""
    if isinstance(function, ast.Subscript):
        return function.value
    if isinstance(function, ast.Call) and isinstance(function.func, ast.Attribute):
        return function.func.value
    return None


def _gone_over(loop: Frame) -> ast.expr | None:
    turned = _turned(loop)
    return None if turned is None else turned.iter


def _turned(loop: Frame) -> ast.For | ast.AsyncFor | ast.comprehension | None:
    node = loop.node.generators[0] if isinstance(loop.node, COMPREHENSIONS) else loop.node
    return node if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) else None


def _taken(loop: Frame) -> Iterator[tuple[str, str]]:
    """The names that a loop gives what it takes, each with what it may be taken from."""
    turned = _turned(loop)
    if turned is not None:
        wholes = {last_name(part) for part in walk(turned.iter) if isinstance(part, ast.expr)}
        for item in names_in(turned.target):
            yield from ((item, whole) for whole in wholes if whole is not None)


def calls_in_turn(loop: Frame) -> list[CallSite]:
    """The calls, in a loop, of what it takes."""
    turned = _turned(loop)
    taken = set() if turned is None else names_in(turned.target)
    return [
        site
        for site in loop.scope.calls
        if isinstance(site.node.func, ast.Name)
        and site.node.func.id in taken
        and loop in site.frames
    ]
