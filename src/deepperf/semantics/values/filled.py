"""What is put into lists and dicts after they were made: `models["fast"] = load()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.values import classes, registered, values
from deepperf.semantics.values.terms import Display, Object

MOST_WRITES = 32
MOST_USERS = 8
_ADDING = {"append": 0, "add": 0, "appendleft": 0, "insert": 1, "setdefault": 1}
"""Methods that put one thing into what they belong to, and which argument that is."""


class Put(Struct, frozen=True):
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


def is_filled(analysis: Analysis, display: Display) -> bool:
    """Whether an empty or short container is filled after it was written out."""

    def find() -> bool:
        node = display.node
        naming = _naming(analysis, node, display.scope)
        if not naming.names and not _written_out(node):
            return True  # whoever has it, or its object, may fill it
        written = (naming.has(target, scope) for target, scope in _item_writes(naming))
        return any(written) or any(_additions(analysis, naming, members.CONTAINER_ADDITIONS))

    return analysis.remember(("filled later", display.node), find, otherwise=False)


class _Naming(Struct, frozen=True):
    """The names and attributes that hold a container made in `scope`, and who sees them."""

    scope: Scope
    names: frozenset[str]
    attributes: frozenset[str]
    seeing: tuple[Scope, ...]

    def has(self, target: ast.expr, other: Scope) -> bool:
        """Whether an expression in another scope names the container."""
        if isinstance(target, ast.Attribute):
            return target.attr in self.attributes
        is_name = isinstance(target, ast.Name) and target.id in self.names
        return is_name and _shares(other, target, self.scope)  # type: ignore[arg-type]


def _naming(analysis: Analysis, made: ast.AST, scope: Scope) -> _Naming:
    names = frozenset(
        definition.name
        for definitions in analysis.module_of(scope).flow(scope).all.values()
        for definition in definitions
        if _part(definition.value, definition.unpacking) is made
    )
    writes = scope.attribute_writes
    own = frozenset(one.attribute for one in writes if _part(one.value, one.unpacking) is made)
    seeing = tuple(_around(scope, own).walk()) if names or own else ()
    return _Naming(scope, names, own, seeing)


def _item_writes(naming: _Naming) -> Iterator[tuple[ast.expr, Scope]]:
    for other in naming.seeing:
        for target, _ in other.item_writes:
            yield target, other


def _additions(
    analysis: Analysis, naming: _Naming, methods: AbstractSet[str]
) -> Iterator[tuple[str, CallSite]]:
    """The calls that put something into a container, by some methods, each with its method."""
    module = analysis.module_of(naming.scope)
    for method in sorted(methods & module.called_names) if naming.seeing else ():
        for site in module.calls_named(method):
            owner = site.node.func.value if isinstance(site.node.func, ast.Attribute) else None
            if owner is not None and site.scope in naming.seeing and naming.has(owner, site.scope):
                yield method, site


def _find(analysis: Analysis, made: ast.AST, scope: Scope) -> Iterator[Put]:
    naming = _naming(analysis, made, scope)
    for target, other in _item_writes(naming):
        if naming.has(target, other):
            for put in assigned(analysis, target, other):
                yield put
                for entry in registered.entries(analysis, put.key, put.value, other):
                    yield Put(*entry)
    for method, site in _additions(analysis, naming, _ADDING.keys()):
        yield from _added(method, site)
    is_empty = isinstance(made, (ast.List, ast.Dict, ast.Set)) and not _written_out(made)
    # What is made to be filled by others has nothing in it yet.
    if is_empty and naming.attributes and (cls := _class_around(scope)) is not None:
        for path in _users(analysis, cls, naming.attributes):
            for method in sorted(_ADDING.keys() & analysis.module(path).called_names):
                for site in analysis.module(path).calls_named(method):
                    if site.scope not in naming.seeing and _is_of(analysis, site, cls, naming):
                        yield from _added(method, site)


def _written_out(made: ast.AST) -> Sequence[ast.expr | None]:
    return made.keys if isinstance(made, ast.Dict) else getattr(made, "elts", ())


def _added(method: str, site: CallSite) -> Iterator[Put]:
    given, place = site.node.args, _ADDING[method]
    if len(given) == place + 1:
        key = given[0] if method == "setdefault" else None
        yield Put(key, given[place], site.scope)


def _users(analysis: Analysis, cls: Scope, attributes: frozenset[str]) -> Iterator[str]:
    """The files that know a class and, by their texts, one of its containers."""
    home = cls.module_path
    analysis.asked.add(cls.name)
    around = analysis.project.importers_naming(home, cls.name)[:MOST_USERS]
    analysis.touched.update(around)
    for path in (home, *around):
        text = analysis.project.sources[path].text
        if any(f".{name}.{method}(" in text for name in attributes for method in _ADDING):
            yield path


def _is_of(analysis: Analysis, site: CallSite, cls: Scope, naming: _Naming) -> bool:
    """Whether a call, outside of the class, fills the container of one of its objects."""
    owner = site.node.func.value if isinstance(site.node.func, ast.Attribute) else None
    if not isinstance(owner, ast.Attribute) or owner.attr not in naming.attributes:
        return False
    held = values.evaluate(analysis, owner.value, site.scope)
    return any(
        isinstance(term, Object) and cls in classes.ancestors(analysis, term.cls) for term in held
    )


def _part(value: ast.expr | None, unpacking: tuple[int, ...]) -> ast.expr | None:
    """What a target is bound to, where what is unpacked is written out."""
    for index in unpacking:
        if not isinstance(value, (ast.Tuple, ast.List)) or index >= len(value.elts):
            return None
        value = value.elts[index]
    return value


def _around(scope: Scope, attributes: frozenset[str]) -> Scope:
    """Where a container is filled: in the scope that names it, or in the class that keeps it."""
    return (_class_around(scope) if attributes else None) or scope


def _class_around(scope: Scope) -> Scope | None:
    outer: Scope | None = scope
    while outer is not None and outer.kind is not ScopeKind.CLASS:
        outer = outer.parent
    return outer


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
