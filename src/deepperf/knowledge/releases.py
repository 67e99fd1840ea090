"""Names that a release of a framework brought or took away, by which code tells its versions."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from deepperf.knowledge.compiled import parse_toml, read_table

FOLDER = Path(__file__).with_name("releases")
_KEYS = frozenset(("module", "version", "names", "methods", "source"))


class ReleaseTableError(ValueError):
    """A table says something that names of releases have no place for."""


class Releases(Struct, frozen=True):
    """The versions of one framework that tell by names.

    `removed` maps full names, as they are written, to the first version without them, `added` to
    the first version with them. `methods` are removed methods that no other library's classes
    have. `style` are names of an interface for programs of older versions, which is there still.
    """

    framework: str
    removed: Mapping[str, str]
    added: Mapping[str, str]
    methods: Mapping[str, str]
    style: Mapping[str, str]


@functools.cache
def known_releases() -> tuple[Releases, ...]:
    """What is known of each framework, sorted by its name."""
    return tuple(
        read_table(path, Releases, parse_releases) for path in sorted(FOLDER.glob("*.toml"))
    )


def parse_releases(text: str, origin: str) -> Releases:
    """The names written in `text`. Raises `ReleaseTableError` naming file and table."""
    try:
        tables = parse_toml(text)
    except ValueError as error:
        raise ReleaseTableError(f"{origin}: {error}") from None
    for key in sorted(tables.keys() - {"framework", "removed", "added", "style"}):
        raise ReleaseTableError(f"{origin}: unknown `{key}`")
    names = {
        kind: dict(_names(tables.get(kind, []), f"{origin}: {kind}", "names"))
        for kind in ("removed", "added", "style")
    }
    methods = dict(_names(tables.get("removed", []), origin, "methods"))
    return Releases(tables["framework"], names["removed"], names["added"], methods, names["style"])


def _names(tables: list[dict[str, Any]], where: str, key: str) -> Iterator[tuple[str, str]]:
    for table in tables:
        for unknown in sorted(table.keys() - _KEYS):
            raise ReleaseTableError(f"{where}: unknown `{unknown}`")
        if not (table.get("version") and table.get("source")):
            raise ReleaseTableError(f"{where}: no `version` or no `source`")
        prefix = f"{table['module']}." if key == "names" and "module" in table else ""
        for name in table.get(key, "").split():
            yield f"{prefix}{name}", table["version"]
