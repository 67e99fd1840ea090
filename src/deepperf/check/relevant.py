"""Tells, without parsing, which files no rule can have anything to say about.

A file matters if it names a framework, or if imports inside the project link it, in either
direction and over any number of files, to one that does: values flow both ways over calls.
The link is judged by last names of modules, so it errs on the side of reading too much.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Mapping

from deepperf.records import Failure

_IMPORT = re.compile(rb"import")
_WORD = re.compile(rb"\w+")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"\0\0")
"""How a file begins whose letters take several bytes, and in which no word is found."""


def relevant(
    paths: Iterable[str],
    data: Callable[[str], bytes | Failure],
    mention: re.Pattern[bytes],
) -> frozenset[str]:
    """Those of `paths` in which `mention` is found, or that imports link to such a file.

    Files that cannot be read count too, and those in UTF-16 and UTF-32.
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
        if isinstance(content, Failure) or content[:2] in _WIDE or mention.search(content):
            matters.append(path)
    if len(matters) == len(ordered):
        return frozenset(ordered)
    settled = frozenset(matters)
    for path in ordered:
        content = data(path)
        if isinstance(content, Failure):
            continue
        for word in imported_words(path, content):
            for other in modules.get(word, ()):
                # Between two that matter anyway the link tells nothing.
                if not (path in settled and other in settled):
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


def imported_words(path: str, content: bytes) -> set[bytes]:
    """Every word of every import statement; of a notebook, every word."""
    if not path.endswith(".py"):
        return set(_WORD.findall(content))
    words: set[bytes] = set()
    for found in _IMPORT.finditer(content):
        begin = _statement_start(content, found.start())
        before = content[begin : found.start()].lstrip()
        if before and b"from" not in before and not before.rstrip().endswith(_HEADS):
            continue  # prose, or a name that contains the word
        words.update(_WORD.findall(content, begin, _statement_end(content, found.end())))
    return words


_HEADS = (b";", b":", b"\\")


def _statement_start(content: bytes, position: int) -> int:
    """Where the line begins, or the one before if a backslash joins them."""
    begin = content.rfind(b"\n", 0, position) + 1
    while begin > 1 and content[max(0, begin - 3) : begin].endswith((b"\\\n", b"\\\r\n")):
        begin = content.rfind(b"\n", 0, begin - 1) + 1
    return begin


def _statement_end(content: bytes, position: int) -> int:
    """Where the line ends, the closing parenthesis included, and lines joined by backslashes."""
    end = content.find(b"\n", position)
    while end > 0 and content[max(0, end - 2) : end].rstrip(b"\r").endswith(b"\\"):
        end = content.find(b"\n", end + 1)
    end = len(content) if end < 0 else end
    if content.find(b"(", position, end) >= 0:
        closing = content.find(b")", position)
        end = max(end, closing)
    return end


def framework_mention() -> re.Pattern[bytes]:
    """Found in every file that names a framework of the fact tables, or speaks to deepperf."""
    from deepperf.knowledge.lookup import FRAMEWORK_MARKERS, known_frameworks

    names = (name.encode() for name in known_frameworks() if name != "python")
    return re.compile(b"|".join((FRAMEWORK_MARKERS.pattern, *names, b"deepperf:")))
