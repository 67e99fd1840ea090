"""What a mask picks of a slice: as many elements as the data say, unlike from slice to slice.

All slices can have what is reduced from picked elements all the same, where the reduction has a
neutral element: a `where` puts it in the place of what the mask leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.vectorization.row_kinds import (
    CONDITION,
    PICKED,
    SLICE,
    Kind,
    Unfit,
    picks,
    touches,
)

_NEUTRAL = members.REDUCTIONS & {
    prefix + name
    for prefix in ("", "a", "arg", "reduce_")
    for name in ("all", "any", "max", "min", "prod", "sum")
}
"""Reductions with a neutral element: zero, one, or an infinity."""


def of_operation(name: str, fact: Fact, kinds: Sequence[Kind]) -> Kind | None:
    """What an operation gives that picks, or is given what was picked; None for any other.

    Raises `Unfit` where all slices cannot have it at once.
    """
    if (
        name in members.PLACE_FINDERS
        and len(kinds) == 1
        and touches(kinds[0])
        and not picks(kinds[0])
    ):
        return PICKED
    if name in members.MASKINGS and CONDITION in kinds:
        return PICKED
    if not any(map(picks, kinds)):
        return None
    if name in _NEUTRAL and len(kinds) == 1:
        return SLICE
    if Trait.GATHERS in fact.traits and len(kinds) == 2:
        return PICKED
    raise Unfit


def of_item(whole: Kind, index: Kind) -> Kind | None:
    """What `whole[index]` gives where either was picked, or is a mask; None for any other."""
    inner = index if isinstance(index, tuple) else (index,)
    if picks(whole):
        if any(map(picks, inner)) or CONDITION in inner:
            raise Unfit
        return SLICE if any(map(touches, inner)) else PICKED
    if CONDITION in inner or any(map(picks, inner)):
        if len(inner) > 1:
            raise Unfit
        return PICKED
    return None
