"""What fixing would change, as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.outputs.paint import Paint, harmless


@dataclass(frozen=True, slots=True)
class Change:
    """A file's text before and after."""

    path: str
    before: str
    after: str


def lines(change: Change, paint: Paint) -> Iterator[str]:
    """The diff of one file, without line ends; names have no `a/` and `b/` in front."""
    name = harmless(change.path)
    rows = difflib.unified_diff(_rows(change.before), _rows(change.after), name, name, lineterm="")
    for row in rows:
        colour = {"+": paint.added, "-": paint.removed, "@": paint.rule}.get(row[0], "")
        yield paint(colour, harmless(row)) if paint.added else row


def _rows(text: str) -> list[str]:
    """The lines as `patch` counts them; one that lacks its end says so."""
    rows = text.split("\n")
    if rows[-1]:
        rows[-1] += "\n\\ No newline at end of file"
    else:
        rows.pop()
    return rows
