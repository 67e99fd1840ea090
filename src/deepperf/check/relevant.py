"""Tells, without parsing, which files no rule can have anything to say about.

A file matters if it names a framework, or if imports inside the project link it, in either
direction and over any number of files, to one that does: values flow both ways over calls.
The link is judged by last names of modules, so it errs on the side of reading too much.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from deepperf.records import Failure

_IMPORT = re.compile(
    rb"(?:^|[;:])[ \t\f]*(?:from|import)\b((?:[^\n\\(]|\\\r?\n|\\|\([^)]*\))*)", re.MULTILINE
)
_WORD = re.compile(rb"\w+")


def relevant(
    paths: Iterable[str],
    data: Callable[[str], bytes | Failure],
    mention: re.Pattern[bytes],
) -> frozenset[str]:
    """Those of `paths` in which `mention` is found, or that imports link to such a file.

    Files that cannot be read count too.
    """
    ordered = tuple(paths)
    modules = _by_module_name(ordered)
    group = {path: path for path in ordered}

    def leader(path: str) -> str:
        while group[path] != path:
            group[path] = group[group[path]]
            path = group[path]
        return path

    matters = []
    for path in ordered:
        content = data(path)
        if isinstance(content, Failure) or mention.search(content):
            matters.append(path)
    if len(matters) == len(ordered):
        return frozenset(ordered)
    for path in ordered:
        content = data(path)
        if isinstance(content, Failure):
            continue
        for word in _imported_words(path, content):
            for other in modules.get(word, ()):
                group[leader(other)] = leader(path)
    leaders = {leader(path) for path in matters}
    return frozenset(path for path in ordered if leader(path) in leaders)


def _by_module_name(paths: Iterable[str]) -> Mapping[bytes, list[str]]:
    """Files by the last part of the name under which they are imported."""
    modules: dict[bytes, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        stem = name.partition(".")[0]
        if stem == "__init__":
            stem = folder.rpartition("/")[2]
        modules.setdefault(stem.encode("utf-8", "surrogateescape"), []).append(path)
    return modules


def _imported_words(path: str, content: bytes) -> set[bytes]:
    """Every word of every import statement; of a notebook, every word."""
    if not path.endswith(".py"):
        return set(_WORD.findall(content))
    return {word for found in _IMPORT.findall(content) for word in _WORD.findall(found)}


def framework_mention() -> re.Pattern[bytes]:
    """Found in every file that names a framework of the fact tables, or speaks to deepperf."""
    from deepperf.knowledge.lookup import FRAMEWORK_MARKERS, known_frameworks

    names = (name.encode() for name in known_frameworks() if name != "python")
    return re.compile(b"|".join((FRAMEWORK_MARKERS.pattern, *names, b"deepperf:")))
