"""Which names that tell a framework's version one file uses. A function of its text alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set

from msgspec import Struct, field

from deepperf.knowledge.releases import Releases, known_releases
from deepperf.semantics.frameworks.versions import release_of
from deepperf.semantics.text.syntax import parse

_GUARDS = frozenset(("ImportError", "ModuleNotFoundError", "AttributeError"))
_VERSIONS = frozenset(("__version__", "VERSION"))
_SHOWING = frozenset(("print", "format", "info", "debug", "warning", "write", "display", "text"))


class Clue(Struct, frozen=True):
    """A name as the code has it, and the release that brought it or took it away."""

    name: str
    version: str


class Clues(Struct, frozen=True):
    """What the names that a file uses say of one framework.

    `end` is the first version that lacks one of them, `begin` the first that has them all,
    `style` is as `end` for an interface that newer versions keep for old programs. `asks` says
    that the file asks which version runs, so that it is for old and new ones alike. `methods`
    are those that are taken for removed ones by their names alone, unless the project has them.
    """

    end: Clue | None = None
    begin: Clue | None = None
    style: Clue | None = None
    asks: bool = False
    methods: Mapping[str, Clue] = field(default_factory=dict)


class _Names(Struct):
    """What a file uses: full names as it spells them, methods, and roots whose version it asks."""

    spelled: dict[str, str] = field(default_factory=dict)
    methods: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)


def clues_in(text: str) -> Mapping[str, Clues]:
    """The clues of each framework that a text says something of. Never raises."""
    module = parse(text).tree
    names = _Names()
    try:
        _collect(module, _bound(module), names)
    except RecursionError:
        return {}
    roots = {name.partition(".")[0] for name in names.spelled}
    found = {
        releases.framework: _clues(names, releases)
        for releases in known_releases()
        if releases.framework in roots
    }
    return {framework: clues for framework, clues in found.items() if clues != Clues()}


def _clues(names: _Names, releases: Releases) -> Clues:
    ends = list(_matching(names, releases.removed))
    begins = list(_matching(names, releases.added))
    styles = list(_matching(names, releases.style))
    # The classes of an interface for old programs have the methods of old.
    is_old_interface = any(
        name.startswith(f"{releases.framework}.compat.v1") for name in names.spelled
    )
    methods: Set[str] = set() if is_old_interface else names.methods & releases.methods.keys()
    return Clues(
        min(ends, key=_release, default=None),
        max(begins, key=_release, default=None),
        min(styles, key=_release, default=None),
        releases.framework in names.asked,
        {name: Clue(name, releases.methods[name]) for name in sorted(methods)},
    )


def _release(clue: Clue) -> tuple[tuple[int, ...], str]:
    return release_of(clue.version), clue.name


def _matching(names: _Names, table: Mapping[str, str]) -> Iterator[Clue]:
    for name in sorted(names.spelled):
        parts = name.split(".")
        for length in range(2, len(parts) + 1):
            version = table.get(".".join(parts[:length]))
            if version is not None:
                spelled = names.spelled[name].split(".")
                shown = spelled[: max(0, len(spelled) - len(parts) + length)] or parts[:length]
                yield Clue(".".join(shown), version)
                break


def _bound(module: ast.Module) -> dict[str, str]:
    """What each imported name stands for; "" where it may stand for two things, or none."""
    bound: dict[str, str] = {}
    guarded = {
        id(below)
        for node in ast.walk(module)
        if isinstance(node, ast.Try) and any(map(_is_guard, node.handlers))
        for below in ast.walk(node)
        if isinstance(below, ast.ImportFrom)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                _bind(bound, alias.asname or name, name)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                target = "" if id(node) in guarded else f"{node.module}.{alias.name}"
                _bind(bound, alias.asname or alias.name, target)
    return bound


def _bind(bound: dict[str, str], name: str, target: str) -> None:
    bound[name] = target if bound.get(name, target) == target else ""


def _collect(node: ast.AST, bound: Mapping[str, str], names: _Names) -> None:
    """Note the names below a node that are used without a guard against their absence."""
    if isinstance(node, ast.Try) and any(map(_is_guard, node.handlers)):
        return
    if isinstance(node, ast.Import):
        for alias in node.names:
            names.spelled.setdefault(alias.name, alias.name)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names if node.module and not node.level else ():
            names.spelled.setdefault(*(f"{node.module}.{alias.name}",) * 2)
    elif isinstance(node, ast.Call) and _shows(node):
        for argument in node.args:
            if not _is_version(argument, bound):
                _collect(argument, bound, names)
        return
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("hasattr", "getattr"):
        names.asked.update(_root(argument, bound) for argument in node.args[:1])
    elif isinstance(node, ast.FormattedValue) and _is_version(node.value, bound):
        return
    elif isinstance(node, ast.Attribute):
        names.methods.add(node.attr)
        if node.attr in _VERSIONS:
            names.asked.add(_root(node, bound))
        spelled = _dotted(node)
        root, _, rest = spelled.partition(".")
        if bound.get(root):
            names.spelled.setdefault(f"{bound[root]}.{rest}", spelled)
            return
    for child in ast.iter_child_nodes(node):
        _collect(child, bound, names)


def _is_guard(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in _GUARDS for kind in kinds)


def _shows(call: ast.Call) -> bool:
    return (getattr(call.func, "id", None) or getattr(call.func, "attr", None)) in _SHOWING


def _is_version(node: ast.expr, bound: Mapping[str, str]) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _VERSIONS and bool(_root(node, bound))


def _root(node: ast.expr, bound: Mapping[str, str]) -> str:
    return bound.get(_dotted(node).partition(".")[0], "").partition(".")[0]


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
