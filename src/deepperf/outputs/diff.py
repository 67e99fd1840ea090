"""What fixing would change, as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

from deepperf.outputs.paint import Paint, harmless

EXACT = ("utf-8", "surrogateescape")
"""How bytes become text and the same bytes again, whatever their encoding is."""
_IN_QUOTES = MappingProxyType({"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"})
"""What a quoted name has in place of letters that mean something there."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after. `encoding` is for showing it; a notebook is its JSON."""

    path: str
    before: bytes
    after: bytes
    encoding: str = "utf-8"


def patch(change: Change) -> bytes:
    """The diff of one file as `patch -p0` takes it, byte for byte in the file's encoding."""
    return _exact(change, change.path, change.path)


def git_patch(change: Change) -> bytes:
    """The same as `git apply` takes it without options."""
    return _exact(change, f"a/{change.path}", f"b/{change.path}")


def _exact(change: Change, old: str, new: str) -> bytes:
    rows = _rows(old, new, change.before.decode(*EXACT), change.after.decode(*EXACT))
    return "".join(f"{row}\n" for row in rows).encode(*EXACT)


def lines(change: Change, paint: Paint) -> Iterator[str]:
    """The diff of one file for a terminal, where nothing of the file's may act."""
    before, after = (
        data.decode(change.encoding, "replace") for data in (change.before, change.after)
    )
    for row in _rows(change.path, change.path, before, after):
        colour = {"+": paint.added, "-": paint.removed, "@": paint.rule}.get(row[0], "")
        yield paint(colour, harmless(row.removesuffix("\r")))


def _rows(old: str, new: str, before: str, after: str) -> Iterator[str]:
    """The rows without their ends."""
    names = _name(old), _name(new)
    for row in difflib.unified_diff(_split(before), _split(after), *names, lineterm=""):
        yield from row.split("\n")


def _name(path: str) -> str:
    """A name as `git apply` and `patch` read it: quoted as in C where something in it may act."""
    if harmless(path) == path and _IN_QUOTES.keys().isdisjoint(path):
        # A tab ends a name that else ends at its first blank.
        return f"{path}\t" if " " in path else path
    return f'"{"".join(_quoted(letter) for letter in path)}"'


def _quoted(letter: str) -> str:
    if letter in _IN_QUOTES:
        return _IN_QUOTES[letter]
    if harmless(letter) == letter:
        return letter
    return "".join(f"\\{byte:03o}" for byte in letter.encode(*EXACT))


def _split(text: str) -> list[str]:
    """The lines as `patch` counts them; one that lacks its end says so."""
    rows = text.split("\n")
    if rows[-1]:
        rows[-1] += "\n\\ No newline at end of file"
    else:
        rows.pop()
    return rows
