"""Answers that are True, False, or None where something is not known."""

from __future__ import annotations

from collections.abc import Iterable


def any_true(answers: Iterable[bool | None]) -> bool | None:
    """True if one is, False if all are, of none as well; None if one that is unknown decides."""
    found = set(answers)
    if True in found:
        return True
    return None if None in found else False


def all_true(answers: Iterable[bool | None]) -> bool | None:
    """True if all are, False if one is not; None if one that is unknown decides."""
    found = set(answers)
    if False in found:
        return False
    return None if None in found else True
