"""Abstract values: where a value may come from."""

from __future__ import annotations

import enum
import functools
from typing import Any, NamedTuple

UnitKey = tuple[str, int]
"""A unit of the project: the path of its file, and its number there."""
Place = tuple[str, int, int]
"""An operation: path, number of the unit, number of the operation."""


class What(enum.IntEnum):
    """The kinds of abstract values."""

    LIBRARY = 1  # a module, class, function or constant of a library, by its canonical name
    OBJECT = 2  # an instance of a library's class, by the class's name
    METHOD = 3  # a method of such an object: `name` is its canonical name
    MODULE = 4  # a module of the project
    FUNCTION = 5  # a function of the project, `place` is its unit
    CLASS = 6  # a class of the project
    INSTANCE = 7  # an instance of a class of the project
    BOUND = 8  # a method of the project with its object
    CONSTANT = 9  # a Python literal, `name` is the type's name
    CONTAINER = 10  # a list, tuple, set or dict, `place` is the operation that makes it
    UNKNOWN = 11


class Origin(NamedTuple):
    """One abstract value."""

    what: What
    name: str = ""
    place: tuple[Any, ...] = ()


UNKNOWN = Origin(What.UNKNOWN)
Held = frozenset[Origin]
"""What an expression may hold: any of these. Empty: nothing that is known ever reaches it."""
NOTHING: Held = frozenset()
ANYTHING: Held = frozenset((UNKNOWN,))
MOST = 16
"""More values than these are anything."""


@functools.lru_cache(maxsize=65_536)
def one(what: What, name: str = "", place: tuple[Any, ...] = ()) -> Held:
    return frozenset((Origin(what, name, place),))


def bounded(held: Held) -> Held:
    return held if len(held) <= MOST else ANYTHING


def in_order(held: Held) -> list[Origin]:
    """Abstract values in an order that is the same in each process."""
    if len(held) < 2:
        return list(held)
    return sorted(held, key=lambda origin: (origin.what, origin.name, str(origin.place)))
