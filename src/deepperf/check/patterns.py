"""Patterns of paths in settings: those of shells, and those of git's ignore files."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fnmatch import fnmatchcase


@functools.lru_cache
def matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Tells whether one of the patterns names a path, or a folder above it.

    Paths count from the project's root. A `*` also stands for slashes, a pattern without a
    slash is tried on each part of the path, and all that git understands is understood too:
    `**/` for any folders or none, a leading slash for the root.
    """
    plain = tuple(pattern.removeprefix("./").rstrip("/") for pattern in patterns)
    plain = tuple(filter(None, plain))
    if not plain:
        return lambda _: False
    from pathspec import GitIgnoreSpec

    named_by_git = GitIgnoreSpec.from_lines(plain).match_file

    def named(path: str) -> bool:
        parts = path.split("/")
        above = ("/".join(parts[: end + 1]) for end in range(len(parts)))
        by_shell = any(_names(pattern, part) for part in above for pattern in plain)
        return by_shell or named_by_git(path)

    return named


def _names(pattern: str, path: str) -> bool:
    if fnmatchcase(path, pattern):
        return True
    return "/" not in pattern and fnmatchcase(path.rpartition("/")[2], pattern)
