"""How to mend a finding, as text edits."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Safety(enum.Enum):
    """Whether a fix keeps results and the order of side effects."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters `start` to `end` (exclusive) of the file's text by `text`.

    Offsets count characters of the decoded text; in a notebook, of the virtual file that
    joins its code cells.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together, applied all or none, and what they do in one phrase."""

    title: str
    edits: tuple[Edit, ...]
    safety: Safety
