"""What `from module import *` may bind, read off texts, so that few modules must be parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepperf.semantics.files.project import Project

_STAR = re.compile(r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*\(?[ \t]*\*", re.MULTILINE)
_ANY_STAR = re.compile(r"import[ \t]*\(?[ \t]*\*")
_DEFINES = re.compile(r"(?:def|class)[ \t]+\Z")
_ASSIGNS = re.compile(r"[ \t]*(?::[^=\n]*)?=(?!=)|[ \t]*:=")
_LISTS = re.compile(
    r"[ \t]*(?:from[ \t]+[.\w]+[ \t]+import\b|import\b|global\b|"
    r"(?:.*[ \t,(])?(?:as|for)[ \t(]+(?:\w+[ \t]*,[ \t(]*)*\Z|"
    r"[(]*(?:\w+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t(]*)*\Z)"
)
_ENDS = re.compile(r"[ \t]*(?:[,):;#\\=\]]|\r?\n|\Z|in\b)")


def star_sources(project: Project, path: str) -> frozenset[str]:
    """The module and all those whose names it takes over by stars, of others too."""
    known = project.star_sources.get(path)
    if known is None:
        seen = {path}
        pending = [path]
        while pending:
            at = pending.pop()
            stars = project.stars.get(at)
            if stars is None:
                stars = project.stars[at] = tuple(_starred_by(project, at))
            for target in stars:
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        known = project.star_sources[path] = frozenset(seen)
    return known


def _starred_by(project: Project, path: str) -> Iterator[str]:
    text = project.sources[path].text
    if "*" in text and _ANY_STAR.search(text):
        for match in _STAR.finditer(text):
            target = project.find(match.group(1), path)
            if target is not None:
                yield target


def may_give(project: Project, path: str, name: str) -> bool:
    """Whether a star import of the module may bind the name, as far as texts tell."""
    known = project.star_names.get((path, name))
    if known is None:
        known = project.star_names[path, name] = any(
            may_bind(project.sources[source].text, name)
            or (source.endswith("/__init__.py") and project.find(f".{name}", source) is not None)
            for source in star_sources(project, path)
        )
    return known


def may_bind(text: str, name: str) -> bool:
    """Whether a text has the name at a place where a statement may bind it."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        before, after = text[start - 1 : start], text[end : end + 1]
        is_part = before.isalnum() or (before and before in "_.") or after.isalnum() or after == "_"
        if not is_part and _binds(text, start, end):
            return True
        start = text.find(name, end)
    return False


def _binds(text: str, start: int, end: int) -> bool:
    prefix = text[text.rfind("\n", 0, start) + 1 : start]
    if _DEFINES.search(prefix) or _ASSIGNS.match(text, end):
        return True
    return bool(_ENDS.match(text, end)) and bool(_LISTS.match(prefix))
