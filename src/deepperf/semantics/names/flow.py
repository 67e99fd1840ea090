"""Definitions of names, and which of them reach each use of a name in a scope."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

from deepperf.semantics.names.scopes import (
    Scope,
)


class Binding(enum.Enum):
    """How a name came to be bound."""

    ASSIGNED = "assigned"  # to `value`, unpacked by `unpacking`
    AUGMENTED = "augmented"  # from its previous value by an operator and `value`
    ITERATED = "iterated"  # to each element of `value` in turn
    ENTERED = "entered"  # to what the context manager `value` gives
    IMPORTED = "imported"
    PARAMETER = "parameter"
    FUNCTION = "function"
    CLASS = "class"
    OTHER = "other"  # deleted, matched, caught


class Definition(Struct, eq=False):
    """One binding of one name.

    `loops` are the loops and comprehensions of the scope in whose body it stands. Nothing
    writes to it; it isn't frozen because making a frozen one takes three times as long.
    """

    name: str
    binding: Binding
    node: ast.AST
    value: ast.expr | None
    unpacking: tuple[int, ...]
    scope: Scope
    loops: tuple[int, ...]  # ids of loop nodes, outermost first


Definitions: TypeAlias = tuple[Definition, ...]
Environment: TypeAlias = dict[str, Definitions]


class Flow(Struct, frozen=True, eq=False):
    """What reaches each use of a local name, and what is bound when the scope ends.

    Of a scope whose end is never reached, such as a server's endless loop, `exit` is what is
    bound where it stays or raises: functions that it called use these names.
    """

    uses: dict[int, Definitions]  # id of a Name or AugAssign target -> what reaches it
    exit: Environment
    all: dict[str, list[Definition]]  # every definition of a name in the scope


def join(environments: Iterable[Environment | None]) -> Environment | None:
    """What holds where several ways meet; None where none of them comes to its end."""
    live = [environment for environment in environments if environment is not None]
    if not live:
        return None
    first = live[0]
    if len(live) == 1:
        return first
    joined = dict(first)
    for other in live[1:]:
        for name, definitions in other.items():
            here = joined.get(name)
            if here is None:
                joined[name] = definitions
            elif here is not definitions:
                extra = tuple(d for d in definitions if d not in here)
                if extra:
                    joined[name] = here + extra
    return joined
