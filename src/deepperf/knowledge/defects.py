"""Known defects of framework releases: which versions have them, and what sets them off.

Each table of `defects/<framework>.toml` is one. A defect is known if a public report names
versions with and without it; its table holds the addresses of these reports.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from deepperf.knowledge.compiled import parse_toml, read_table

FOLDER = Path(__file__).parent / "defects"


class Condition(enum.Enum):
    """What must hold of a call, besides its name, for a defect to show."""

    REPEATED = "repeated"  # it runs again and again: in a loop, or for each request
    GIVEN_DATASET = "given-dataset"  # its input is a tf.data dataset
    GIVEN_SEQUENCE = "given-sequence"  # its input is a Keras Sequence
    SEVERAL_WORKERS = "several-workers"  # it asks for several workers, or for processes
    BEFORE_FORK = "before-fork"  # it runs before its program forks processes


class Defect(Struct, frozen=True):
    """One defect: the versions from `since` to `until` (exclusive, "" for all later) have it.

    `callables` are canonical names; all of `conditions` must hold. `symptom` says what the call
    does then, as a clause that follows its name.
    """

    id: str
    framework: str
    since: str
    until: str
    callables: tuple[str, ...]
    conditions: frozenset[Condition]
    symptom: str
    remedy: str
    sources: tuple[str, ...]


class DefectTableError(ValueError):
    """A table says something that a defect has no place for."""


@functools.cache
def known_defects() -> tuple[Defect, ...]:
    """Every known defect, by framework and in the order written."""
    found: list[Defect] = []
    for path in sorted(FOLDER.glob("*.toml")):
        found += read_table(path, tuple[Defect, ...], parse_defects)
    return tuple(found)


def parse_defects(text: str, origin: str) -> tuple[Defect, ...]:
    """The defects written in `text`. Raises `DefectTableError` naming file, table and key."""
    try:
        tables = parse_toml(text).get("defect", [])
    except ValueError as error:
        raise DefectTableError(f"{origin}: {error}") from None
    return tuple(_defect(table, f"{origin}: {table.get('id', '?')}") for table in tables)


def _defect(table: Mapping[str, Any], where: str) -> Defect:
    wanted = {field.name for field in fields(Defect)}
    for key in sorted(wanted ^ table.keys()):
        raise DefectTableError(f"{where}: {'unknown' if key in table else 'no'} `{key}`")
    try:
        conditions = frozenset(map(Condition, table["conditions"]))
    except ValueError as error:
        raise DefectTableError(f"{where}: {error}") from None
    return Defect(
        table["id"],
        table["framework"],
        table["since"],
        table["until"],
        tuple(table["callables"]),
        conditions,
        table["symptom"],
        table["remedy"],
        tuple(table["sources"]),
    )
