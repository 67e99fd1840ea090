"""What stands in lists, tuples and dicts that are given a name, or handed to a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.knowledge.members import LIST_ADDITIONS
from deepperf.semantics.names.scopes import (
    DISPLAYS,
    Branch,
    CallSite,
    Frame,
    Scope,
    Scopes,
    last_name,
)
from deepperf.semantics.text.tree import arguments


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """A list, tuple, set or dict as it is written out.

    `names` are those that it is assigned to, or of what it is put into; `given_to` is the call that
    it is an argument of.
    """

    node: ast.expr
    names: tuple[str, ...]
    given_to: CallSite | None


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
