"""A share of an iteration that knows what it was computed from."""

from __future__ import annotations

from typing import NamedTuple


class Basis(NamedTuple):
    """What an estimate was computed from: rows of the table of costs, by name.

    `times` is how often an `iteration` pays the `cost`.
    """

    cost: str
    times: float
    iteration: str


class Share(float):
    """A share, from 0 to 1, that remembers its basis; arithmetic with it gives plain numbers."""

    __slots__ = ("basis",)
    basis: Basis

    def __new__(cls, value: float, basis: Basis) -> Share:
        """The share `value`, which was computed from `basis`."""
        share = super().__new__(cls, value)
        share.basis = basis
        return share
