"""What the functions of a file call, by name alone: tells cheaply what cannot lead anywhere.

An outline is read off the text, without parsing it. It errs on the side of saying that
something may be reached.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.project import Project
from deepperf.semantics.names.scopes import CallSite, last_name
from deepperf.semantics.text.wording import imported_names, may_multiply
from deepperf.semantics.values.terms import ARRAY_TYPES

FARTHEST = 3
"""Calls of functions that are followed by name."""


Entry: TypeAlias = tuple[bool, frozenset[str]]


class Outline(Struct, frozen=True):
    """`functions` says where in the text the functions of each name stand.

    `entries` gives for those asked about whether one of them calls something of a framework
    itself, and an operation by its name, and the names of all that it calls. `read` are the
    properties near that are read somewhere in it.
    """

    functions: dict[str, list[tuple[int, int]]]
    entries: dict[str, Entry]
    read: tuple[str, ...]


def outline_of(project: Project, path: str) -> Outline:
    known = project.outlines.get(path)
    if known is None:
        text = project.sources[path].text
        read = tuple(name for name in project.properties(path) if f".{name}" in text)
        known = project.outlines[path] = Outline(_functions(text), {}, read)
    return known


def aliases_of(project: Project, path: str) -> frozenset[str]:
    """The names under which a file knows frameworks or parts of them."""
    return _aliases(project, path, 2)


def _entry(project: Project, path: str, name: str) -> Entry | None:
    """What the functions of a file do that have the name, if there are such."""
    outline = outline_of(project, path)
    known = outline.entries.get(name)
    if known is not None or name not in outline.functions:
        return known
    text, spans = project.sources[path].text, outline.functions[name]
    callees = {callee for start, end in spans for callee in _callees(text[start:end])}
    aliases = aliases_of(project, path)
    called = frozenset(callee.rpartition(".")[2] for callee in callees)
    # Reading a property calls its function.
    called |= frozenset(
        read for read in outline.read if any(text.find(f".{read}", *span) >= 0 for span in spans)
    )
    operations = project.trigger_names(frozenset((Trait.COMPUTES,)))
    methods = array_methods(project)
    works = any(
        callee.rpartition(".")[2] in methods and callee.partition(".")[0] not in aliases
        for callee in callees
        if "." in callee
    )
    if not works and not operations.isdisjoint(called):
        roots = {callee.partition(".")[0] for callee in callees}
        working = {c.partition(".")[0] for c in callees if c.rpartition(".")[2] in operations}
        works = not roots.isdisjoint(aliases) and (
            # The root is a framework, an expression, or what the function gives a name to.
            not working.isdisjoint(aliases)
            or "" in working
            or any(_is_assigned(text, root, start, end) for start, end in spans for root in working)
        )
    works = works or any(may_multiply(text, *span) for span in spans)
    works = works or _may_ask_model(project, path, callees)
    outline.entries[name] = (works, called)
    return works, called


def _may_ask_model(project: Project, path: str, callees: set[str]) -> bool:
    """Whether one of the callees may be a model that nothing trains, by what the file says."""
    if any(callee.rpartition(".")[2] in members.EMBEDDINGS for callee in callees):
        return True
    if not project.has_any(path, _NOT_TRAINING):
        return False
    held = [callee.split(".") for callee in callees]
    defined = project.names_defined(path)
    return any(
        len(parts) in (2, 3) and parts[0] == "self" and parts[1] not in defined for parts in held
    )


def array_methods(project: Project) -> frozenset[str]:
    """The names of operations that, as methods, arrays alone have, as far as is known."""

    def find() -> frozenset[str]:
        own: set[str] = set()
        others: set[str] = set()
        for name, fact in project.knowledge.facts.items():
            owner, _, method = name.rpartition(".")
            if owner in ARRAY_TYPES and Trait.COMPUTES in fact.traits:
                own.add(method)
            elif owner in project.knowledge.types and owner not in ARRAY_TYPES:
                others.add(method)
        return frozenset(own - others)

    return project.named("array methods", find)


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


# What begins with letters is found many times faster than what begins with a line.
_HEADS = {kind: re.compile(rf"{kind}[ \t]+(\w+)") for kind in ("def", "class")}
_MODIFIERS = re.compile(r"([ \t]*)(?:async[ \t]+)?\Z")
_CALLEE = re.compile(r"[A-Za-z_.][\w.]*\Z")
"""Names and dots; what begins with a dot is read from an expression."""
_IS_ASSIGNED = re.compile(r"[ \t]*=(?!=)")
_RUN_BY_CALL = frozenset(("__call__", "forward", "call"))
_ANY_OBJECT = "()"
_NOT_TRAINING = frozenset(
    ("eval()", "from_pretrained(", "requires_grad", "trainable", "Transformer(")
)


def _functions(text: str) -> dict[str, list[tuple[int, int]]]:
    """From where to where the functions of each name reach at most: to what begins beside them."""
    found: dict[str, list[tuple[int, int]]] = {}
    around: list[tuple[int, str, list[str], int]] = []
    for line, indent, kind, name, end in sorted(_heads(text)):
        _close(around, indent, line, found)
        names = [name] if kind == "def" else []
        if names and around and around[-1][1] == "class":
            if name == "__init__":
                names.append(around[-1][2][0])
            elif name in _RUN_BY_CALL:
                # Objects are called under names of their own.
                names.append(_ANY_OBJECT)
        around.append((indent, kind, names or [name], end))
    _close(around, 0, len(text), found)
    return found


def _heads(text: str) -> Iterator[tuple[int, int, str, str, int]]:
    """Where lines begin that define something, their indentation, what they define, and its end."""
    for kind, pattern in _HEADS.items():
        for head in pattern.finditer(text):
            line = text.rfind("\n", 0, head.start()) + 1
            before = _MODIFIERS.match(text, line, head.start())
            if before is not None:
                yield line, len(before[1].expandtabs()), kind, head[1], head.end()


def _callees(text: str) -> Iterator[str]:
    """What stands before the parentheses of a text: names, and attributes of them."""
    for part in text.split("(")[:-1]:
        last = part[-1:]
        if last.isalnum() or last in ("_", "."):
            callee = _CALLEE.search(part.rsplit(None, 1)[-1])
            if callee is not None:
                yield callee[0]


def _is_assigned(text: str, name: str, start: int, end: int) -> bool:
    """Whether a part of a text gives a name something, as a keyword's argument too."""
    at = text.find(name, start, end)
    while at >= 0:
        after = at + len(name)
        before = text[at - 1] if at > start else " "
        if not (before.isalnum() or before == "_") and _IS_ASSIGNED.match(text, after, end):
            return True
        at = text.find(name, after, end)
    return False


def _close(
    around: list[tuple[int, str, list[str], int]],
    indent: int,
    end: int,
    found: dict[str, list[tuple[int, int]]],
) -> None:
    """Ends what stands at the indentation or further in."""
    while around and around[-1][0] >= indent:
        _, kind, names, start = around.pop()
        for name in names if kind == "def" else ():
            found.setdefault(name, []).append((start, end))


def _aliases(project: Project, path: str, farther: int) -> frozenset[str]:
    known = project.aliases.get((path, farther))
    if known is None:
        known = project.aliases[path, farther] = _find_aliases(project, path, farther)
    return known


def _find_aliases(project: Project, path: str, farther: int) -> frozenset[str]:
    heads = _framework_heads(project)
    found: set[str] = set()
    for module, name, alias in imported_names(project.sources[path].text):
        head = module.partition(".")[0]
        if not name:
            if head in heads and project.find(module, path) is None:
                found.add(alias or head)
            continue
        inside = project.find(module, path)
        if inside is not None and farther and inside != path:
            # What the module defines is no framework.
            is_own = name == "*" or name in project.names_defined(inside)
            if not is_own and name in _aliases(project, inside, farther - 1):
                found.add(alias or name)
        elif inside is None and head in heads:
            found.add(alias or name)
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


def is_defined(analysis: Analysis, path: str, name: str) -> bool:
    """Whether the file at `path`, or one that it imports, has a function or class so named."""

    def find() -> bool:
        homes = (path, *analysis.project.imports(path))
        analysis.touched.update(homes)
        return any(name in analysis.project.names_defined(home) for home in homes)

    return analysis.reuse(("defined", path, name), find)


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
                entry = _entry(project, home, name)
                if entry is None:
                    continue
                if not names.isdisjoint(entry[1]):
                    return True
                following.extend((home, called) for called in sorted(entry[1]))
        level = following
    return False
