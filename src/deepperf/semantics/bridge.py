"""The one door from the engine's new floors to the old ones: files, trees, names, versions.

The floors behind it are replaced one by one; nothing else of the new floors imports them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING, TypeAlias

from deepperf.records import Location, Role
from deepperf.semantics.files import project as _files
from deepperf.semantics.text import positions
from deepperf.semantics.text.syntax import character_column

if TYPE_CHECKING:
    from deepperf.knowledge.lookup import Knowledge

Project: TypeAlias = _files.Project


def tree(project: Project, path: str) -> ast.Module:
    """The syntax tree of a file; of one that does not parse, what is left of it."""
    node = project.module(path).scopes.module.node
    return node if isinstance(node, ast.Module) else ast.Module([], [])


def knowledge(project: Project) -> Knowledge:
    return project.knowledge


def find(project: Project, dotted: str, importer: str) -> str | None:
    """The path of the project's module that an import means, if any."""
    return project.find(dotted, importer)


def naming(project: Project, word: str) -> Collection[str]:
    """The files in whose text a word stands."""
    return project.naming(word)


def imports(project: Project, path: str) -> Collection[str]:
    """The project's modules that a file imports directly."""
    return project.imports(path)


def text(project: Project, path: str) -> str:
    return project.sources[path].text


def role(project: Project, path: str) -> Role:
    return project.sources[path].role


def admits(project: Project, path: str, framework: str, since: str = "", until: str = "") -> bool:
    """Whether the newest version of a framework that a file's project admits is in a range.

    Where the project names none, that is the newest there is.
    """
    found = project.version(path, framework)
    return not until if found is None else found.newest_is_within(since or "0", until)


def offsets(project: Project, path: str, span: tuple[int, int, int, int]) -> tuple[int, int]:
    """The characters of the text at which a span starts and ends."""
    module = project.module(path)
    starts = module.starts

    def offset(line: int, column: int) -> int:
        start = starts[min(line, len(starts)) - 1]
        end = starts[line] if line < len(starts) else len(module.source.text)
        return start + character_column(module.source.text[start:end], column)

    return offset(span[0], span[1]), offset(span[2], span[3])


def location(project: Project, path: str, span: tuple[int, int, int, int]) -> Location:
    """A span as people count: lines and columns from 1, columns in characters."""
    module = project.module(path)
    first = character_column(positions.line_at(module, span[0]), span[1])
    last = character_column(positions.line_at(module, span[2]), span[3])
    return Location(path, span[0], first + 1, span[2], last + 1)


def line(project: Project, path: str, number: int) -> str:
    """One line of a file, for showing."""
    return positions.line_at(project.module(path), number)
