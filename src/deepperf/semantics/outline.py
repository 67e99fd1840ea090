"""What the functions of a file call, by name alone: tells cheaply what cannot lead anywhere.

An outline outlives the syntax tree that it was read off. It errs on the side of saying that
something may be reached.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeAlias

from deepperf.knowledge.schema import Trait
from deepperf.semantics.analysis import Analysis
from deepperf.semantics.project import Project
from deepperf.semantics.scopes import CallSite, ScopeKind, last_name

FARTHEST = 3
"""Calls of functions that are followed by name."""


Entry: TypeAlias = tuple[bool, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Outline:
    """`aliases` are the names under which the file knows frameworks or parts of them.

    `functions` gives for each name of a function whether one of that name calls something
    of a framework itself, and the names of all that it calls.
    """

    aliases: frozenset[str]
    functions: dict[str, Entry]


def outline_of(project: Project, path: str) -> Outline:
    known = project.outlines.get(path)
    if known is None:
        known = project.outlines[path] = _read(project, path)
    return known


def root_name(node: ast.expr) -> str | None:
    """`a` of `a.b.c`, of `a[0].b()` and of `a`; None for anything else."""
    while True:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return None


def _read(project: Project, path: str) -> Outline:
    aliases = _aliases(project, path, 2)
    functions: dict[str, Entry] = {}
    for scope in project.module(path).scopes.module.walk():
        if scope.kind is not ScopeKind.FUNCTION or scope.name == "<lambda>":
            continue
        works = any(root_name(site.node.func) in aliases for site in scope.calls)
        called = frozenset(name for site in scope.calls if (name := last_name(site.node.func)))
        before = functions.get(scope.name)
        if before is not None:
            works, called = works or before[0], called | before[1]
        functions[scope.name] = (works, called)
        cls = scope.parent
        if cls is None or cls.kind is not ScopeKind.CLASS:
            continue
        if scope.name == "__init__":
            _join(functions, cls.name, (works, called))
        elif scope.name in _RUN_BY_CALL:
            # Objects are called under names of their own.
            _join(functions, _ANY_OBJECT, (works, called))
    return Outline(aliases, functions)


_RUN_BY_CALL = frozenset(("__call__", "forward", "call"))
_ANY_OBJECT = "()"


def _join(functions: dict[str, Entry], name: str, entry: Entry) -> None:
    works, called = functions.get(name, (False, frozenset()))
    functions[name] = (works or entry[0], called | entry[1])


def _aliases(project: Project, path: str, farther: int) -> frozenset[str]:
    known = project.aliases.get((path, farther))
    if known is None:
        known = project.aliases[path, farther] = _find_aliases(project, path, farther)
    return known


def _find_aliases(project: Project, path: str, farther: int) -> frozenset[str]:
    heads = _framework_heads(project)
    found: set[str] = set()
    module = project.module(path)
    for statement in set(module.scopes.imports.values()):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                head = alias.name.partition(".")[0]
                if head in heads and project.find(alias.name, path) is None:
                    found.add(alias.asname or head)
            continue
        dotted = "." * statement.level + (statement.module or "")
        inside = project.find(dotted, path)
        if inside is not None and farther and inside != path:
            # What the module defines is no framework: most need not be parsed to know that.
            own = project.names_defined(inside) | {"*"}
            names = [alias for alias in statement.names if alias.name not in own]
            offered = _aliases(project, inside, farther - 1) if names else frozenset()
            found.update(a.asname or a.name for a in names if a.name in offered)
        elif inside is None and not statement.level and dotted.partition(".")[0] in heads:
            found.update(a.asname or a.name for a in statement.names)
    return frozenset(found)


def _framework_heads(project: Project) -> frozenset[str]:
    key = frozenset((Trait.COMPUTES,))
    if project.framework_heads is None:
        knowledge = project.knowledge
        project.framework_heads = frozenset(
            name.partition(".")[0]
            for name, fact in knowledge.facts.items()
            if not key.isdisjoint(fact.traits)
        ) | frozenset(alias.partition(".")[0] for alias in knowledge.aliases)
    return project.framework_heads


def may_reach_framework(analysis: Analysis, site: CallSite) -> bool:
    """Whether the name called may be a function of the project that calls a framework."""
    project, path = analysis.project, site.scope.module_path
    name = last_name(site.node.func)
    if name is None:
        return False
    if not is_defined(analysis, path, name):
        name = _ANY_OBJECT
    answer, read = _may_reach(project, path, name, FARTHEST)
    analysis.touched.update(read)
    return answer


def is_defined(analysis: Analysis, path: str, name: str) -> bool:
    """Whether the file at `path`, or one that it imports, has a function or class so named."""
    homes = (path, *analysis.project.imports(path))
    analysis.touched.update(homes)
    return any(name in analysis.project.names_defined(home) for home in homes)


def _may_reach(project: Project, path: str, name: str, farther: int) -> tuple[bool, frozenset[str]]:
    """The answer, and the files that it was read off."""
    key = (path, name, farther)
    known = project.reaching.get(key)
    if known is not None:
        return known
    answer = False
    read = {path, *project.imports(path)}
    for home in (path, *project.imports(path)):
        defined = project.names_defined(home)
        if name == _ANY_OBJECT:
            if defined.isdisjoint(_RUN_BY_CALL):
                continue
        elif name not in defined:
            continue
        entry = outline_of(project, home).functions.get(name)
        if entry is None:
            continue
        works, called = entry
        answer = works
        for other in sorted(called) if farther and not works else ():
            answer, further = _may_reach(project, home, other, farther - 1)
            read |= further
            if answer:
                break
        if answer:
            break
    project.reaching[key] = (answer, frozenset(read))
    return project.reaching[key]


def may_call(analysis: Analysis, site: CallSite, names: frozenset[str]) -> bool:
    """Whether a function of the project that the call may run calls something so named."""
    project = analysis.project
    seen: set[tuple[str, str]] = set()
    level = [(site.scope.module_path, last_name(site.node.func) or _ANY_OBJECT)]
    for _ in range(FARTHEST):
        following: list[tuple[str, str]] = []
        for path, name in level:
            analysis.touched.update((path, *project.imports(path)))
            for home in (path, *project.imports(path)):
                if name not in project.names_defined(home) or (home, name) in seen:
                    continue
                seen.add((home, name))
                entry = outline_of(project, home).functions.get(name)
                if entry is None:
                    continue
                if not names.isdisjoint(entry[1]):
                    return True
                following.extend((home, called) for called in sorted(entry[1]))
        level = following
    return False
