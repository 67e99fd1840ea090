"""How well two raters agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deepperf.study.labels import DIMENSIONS, Label


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of one dimension: candidates compared, the share rated alike, and Cohen's kappa.

    `kappa` is None where it is not defined: both raters gave one and the same label throughout.
    """

    dimension: str
    compared: int
    alike: float
    kappa: float | None


def agreement(pairs: Iterable[tuple[Label, Label]]) -> tuple[Agreement, ...]:
    """The agreement per dimension; the terms are compared where both see a problem."""
    both = tuple(pairs)
    seen = tuple(pair for pair in both if pair[0].is_problem and pair[1].is_problem)
    return tuple(
        _agreement(dimension, both if dimension == "is_problem" else seen)
        for dimension in DIMENSIONS
    )


def _agreement(dimension: str, pairs: tuple[tuple[Label, Label], ...]) -> Agreement:
    first = [str(getattr(label, dimension)) for label, _ in pairs]
    second = [str(getattr(label, dimension)) for _, label in pairs]
    if not pairs:
        return Agreement(dimension, 0, 0.0, None)
    alike = sum(map(str.__eq__, first, second)) / len(pairs)
    if len({*first, *second}) == 1:
        return Agreement(dimension, len(pairs), alike, None)
    from sklearn.metrics import cohen_kappa_score

    return Agreement(dimension, len(pairs), alike, float(cohen_kappa_score(first, second)))
