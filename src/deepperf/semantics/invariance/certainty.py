"""The answers to a question about the program where unknown is an answer."""

from __future__ import annotations

import enum
from collections.abc import Iterable


class Certainty(enum.Enum):
    """The answer to a question about the program; unknown is an answer."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def all_of(answers: Iterable[Certainty]) -> Certainty:
    """Yes if all are; no if one is no; else unknown."""
    found = Certainty.YES
    for answer in answers:
        if answer is Certainty.NO:
            return answer
        if answer is Certainty.UNKNOWN:
            found = answer
    return found
