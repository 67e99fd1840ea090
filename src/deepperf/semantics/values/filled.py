"""What is put into lists and dicts after they were made: `models["fast"] = load()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, ScopeKind

MOST_WRITES = 8
_ADDING = {"append": 0, "add": 0, "appendleft": 0, "insert": 1, "setdefault": 1}
"""Methods that put one thing into what they belong to, and which argument that is."""


@dataclass(frozen=True, slots=True)
class Put:
    """An expression whose value, or a part of it, is put into a container.

    `key` is None where it gets none; `unpacking` are the indices that lead to the part.
    """

    key: ast.expr | None
    value: ast.expr
    scope: Scope
    unpacking: tuple[int, ...] = ()


def put_into(analysis: Analysis, made: ast.AST, scope: Scope) -> tuple[Put, ...]:
    """What those who see a container, which `made` makes in `scope`, put into it by its name."""
    nothing: tuple[Put, ...] = ()
    return analysis.remember(
        ("put into", made), lambda: tuple(_find(analysis, made, scope))[:MOST_WRITES], nothing
    )


def _find(analysis: Analysis, made: ast.AST, scope: Scope) -> Iterator[Put]:
    module = analysis.module_of(scope)
    names = {
        definition.name
        for definitions in module.flow(scope).all.values()
        for definition in definitions
        if _part(definition.value, definition.unpacking) is made
    }
    writes = scope.attribute_writes
    attributes = {one.attribute for one in writes if _part(one.value, one.unpacking) is made}
    if not names and not attributes:
        return

    def is_it(target: ast.expr, other: Scope) -> bool:
        if isinstance(target, ast.Attribute):
            return target.attr in attributes
        return isinstance(target, ast.Name) and target.id in names and _shares(other, target, scope)

    seeing = _around(scope, attributes).walk()
    for other in seeing:
        for target, _ in other.item_writes:
            if is_it(target, other):
                yield from assigned(analysis, target, other)
    for method in sorted(_ADDING.keys() & module.called_names):
        for site in module.calls_named(method):
            function, given, place = site.node.func, site.node.args, _ADDING[method]
            if len(given) != place + 1 or not isinstance(function, ast.Attribute):
                continue
            if site.scope in seeing and is_it(function.value, site.scope):
                key = given[0] if method == "setdefault" else None
                yield Put(key, given[place], site.scope)


def _part(value: ast.expr | None, unpacking: tuple[int, ...]) -> ast.expr | None:
    """What a target is bound to, where what is unpacked is written out."""
    for index in unpacking:
        if not isinstance(value, (ast.Tuple, ast.List)) or index >= len(value.elts):
            return None
        value = value.elts[index]
    return value


def _around(scope: Scope, attributes: set[str]) -> Scope:
    """Where a container is filled: in the scope that names it, or in the class that keeps it."""
    outer: Scope | None = scope if attributes else None
    while outer is not None and outer.kind is not ScopeKind.CLASS:
        outer = outer.parent
    return outer or scope


def _shares(other: Scope, target: ast.Name, scope: Scope) -> bool:
    """Whether a name means in an inner scope what it means in the scope around."""
    return other is scope or target.id not in other.bound or target.id in other.outer_names


def assigned(analysis: Analysis, target: ast.expr, scope: Scope) -> Iterator[Put]:
    """What an assignment puts into what `target` names."""
    around = analysis.parents_in(scope)
    item = around.get(id(target))
    if not isinstance(item, ast.Subscript) or isinstance(item.slice, ast.Slice):
        return
    inner: ast.AST = item
    outer, unpacking = around.get(id(item)), []
    while isinstance(outer, (ast.Tuple, ast.List)) and inner in outer.elts:
        unpacking.append(outer.elts.index(inner))
        inner, outer = outer, around.get(id(outer))
    if isinstance(outer, ast.Assign) and inner in outer.targets:
        yield Put(item.slice, outer.value, scope, tuple(reversed(unpacking)))
