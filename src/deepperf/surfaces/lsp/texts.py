"""Places in texts as editors count them: lines from 0, columns in the client's units."""

from __future__ import annotations

import bisect

from lsprotocol.types import Position, Range
from msgspec import Struct
from pygls.workspace import PositionCodec

from deepperf.records import Edit, Location
from deepperf.semantics.text.syntax import line_starts


class Text(Struct, frozen=True):
    """A text with the offsets at which its lines begin."""

    text: str
    starts: tuple[int, ...]
    codec: PositionCodec


class Document(Struct, frozen=True):
    """A document of the editor: a file, or a cell of a notebook.

    Its text begins at `offset` of the text that was checked, in which fixes count.
    """

    uri: str
    text: Text
    offset: int = 0


def text_of(text: str, codec: PositionCodec) -> Text:
    return Text(text, tuple(line_starts(text)), codec)


def range_of(text: Text, location: Location) -> Range:
    """The range of a location, whose columns count characters from 1."""
    return Range(
        _position(text, location.line - 1, location.column - 1),
        _position(text, location.end_line - 1, location.end_column - 1),
    )


def range_of_edit(text: Text, edit: Edit) -> Range:
    """The range that an edit replaces."""
    return Range(_at_offset(text, edit.start), _at_offset(text, edit.end))


def _at_offset(text: Text, offset: int) -> Position:
    line = bisect.bisect_right(text.starts, offset) - 1
    return _position(text, line, offset - text.starts[line])


def _position(text: Text, line: int, column: int) -> Position:
    if line >= len(text.starts):  # another version of the text was meant
        return _at_offset(text, len(text.text))
    start = text.starts[line]
    return Position(line, text.codec.client_num_units(text.text[start : start + column]))
