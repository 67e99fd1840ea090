"""The answers to whether an expression is the same in each iteration, and on what that rests."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.text.tree import Chain

Needs = frozenset[Chain]
NOTHING: Needs = frozenset()
AROUND = "<around>"
"""Begins a chain that rests on a name of the function around, bound once and left alone there."""


class Steadiness(Struct, frozen=True):
    """Whether something is the same in each iteration; if so, `needs` are the chains it
    rests on.
    """

    certainty: Certainty
    needs: Needs = NOTHING

    @property
    def is_sure(self) -> bool:
        """Whether it is known to be the same in each iteration."""
        return self.certainty is Certainty.YES


STAYS = Steadiness(Certainty.YES)
CHANGES = Steadiness(Certainty.NO)
UNKNOWN = Steadiness(Certainty.UNKNOWN)


def together(answers: Iterable[Steadiness]) -> Steadiness:
    """The answer for what is made of several parts."""
    needs: Needs = NOTHING
    is_known = True
    for answer in answers:
        if answer.certainty is Certainty.NO:
            return CHANGES
        is_known = is_known and answer.is_sure
        needs |= answer.needs
    return Steadiness(Certainty.YES, needs) if is_known else UNKNOWN
