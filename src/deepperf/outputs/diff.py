"""What fixing would change, as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.outputs.paint import Paint, harmless

EXACT = ("utf-8", "surrogateescape")
"""How bytes become text and the same bytes again, whatever their encoding is."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after. `encoding` is for showing it; a notebook is its JSON."""

    path: str
    before: bytes
    after: bytes
    encoding: str = "utf-8"


def patch(change: Change) -> bytes:
    """The diff of one file as `patch -p0` takes it, byte for byte in the file's encoding."""
    rows = _rows(change, change.before.decode(*EXACT), change.after.decode(*EXACT))
    return "".join(f"{row}\n" for row in rows).encode(*EXACT)


def lines(change: Change, paint: Paint) -> Iterator[str]:
    """The diff of one file for a terminal, where nothing of the file's may act."""
    before, after = (
        data.decode(change.encoding, "replace") for data in (change.before, change.after)
    )
    for row in _rows(change, before, after):
        colour = {"+": paint.added, "-": paint.removed, "@": paint.rule}.get(row[0], "")
        yield paint(colour, harmless(row.removesuffix("\r")))


def _rows(change: Change, before: str, after: str) -> Iterator[str]:
    """The rows without their ends; names have no `a/` and `b/` in front."""
    name = harmless(change.path)
    if " " in name:
        name += "\t"  # ends a name for `patch`, which else ends it at the first blank
    for row in difflib.unified_diff(_split(before), _split(after), name, name, lineterm=""):
        yield from row.split("\n")


def _split(text: str) -> list[str]:
    """The lines as `patch` counts them; one that lacks its end says so."""
    rows = text.split("\n")
    if rows[-1]:
        rows[-1] += "\n\\ No newline at end of file"
    else:
        rows.pop()
    return rows
