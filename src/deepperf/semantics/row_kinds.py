"""What values are in a walk through a function of one slice: of the slice, or beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from deepperf.knowledge.schema import Fact


@dataclass(frozen=True, slots=True)
class RowOperation:
    """An operation on a slice: as the user wrote its name, and what is known of it.

    Operators, choices and items have no fact.
    """

    called: str
    fact: Fact | None = None


class Unfit(Exception):
    """Something in the function does not take a batch, or is not known to."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value in the walk: beside the slice, of it, a condition on it, or the slice's number."""

    of_slice: bool
    is_condition: bool = False
    is_counter: bool = False


BESIDE = Leaf(of_slice=False)
SLICE = Leaf(of_slice=True)
CONDITION = Leaf(of_slice=True, is_condition=True)
COUNTER = Leaf(of_slice=True, is_counter=True)
Kind: TypeAlias = "Leaf | tuple[Kind, ...]"
Names: TypeAlias = dict[str, "Kind"]


def touches(kind: Kind) -> bool:
    """Whether a value holds anything of the slice."""
    return any(map(touches, kind)) if isinstance(kind, tuple) else kind.of_slice


def counts(kind: Kind) -> bool:
    """Whether a value holds the slice's number."""
    return any(map(counts, kind)) if isinstance(kind, tuple) else kind.is_counter
