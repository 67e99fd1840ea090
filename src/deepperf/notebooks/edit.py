"""Edits of a notebook's virtual text, put into its cells without touching anything else."""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from deepperf.notebooks.cells import Cell, Notebook, source_key
from deepperf.records import Edit

_BLANKS = re.compile(r"[ \t\r\n]*")
_ESCAPED_CHARACTER = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_DECODER = json.JSONDecoder(strict=False)
_Place = tuple[int | None, int]


class _Stretch(Struct, frozen=True):
    """Where a value lies in the JSON text."""

    start: int
    end: int


def apply_to_notebook(notebook: Notebook, edits: Sequence[Edit]) -> bytes:
    """The notebook's bytes with `edits` of its virtual text made in the cells.

    All but the source of the edited cells stays byte for byte; in them, lines that stay
    keep their spelling, and new ones are spelled in the notebook's style. Raises ValueError
    for edits that overlap, or reach over the end of a cell.
    """
    by_cell: dict[int, list[Edit]] = {}
    for edit in sorted(set(edits)):
        by_cell.setdefault(_cell_index(notebook, edit), []).append(edit)
    if not by_cell:
        return notebook.data
    encoding: str = json.detect_encoding(notebook.data)
    text = notebook.data.decode(encoding, "surrogatepass")
    bom = b""
    if encoding in ("utf-16", "utf-32"):  # these would write a byte order mark of their own
        bom = notebook.data[: 2 if encoding == "utf-16" else 4]
        encoding += "-le" if bom.startswith(b"\xff") else "-be"
    elif encoding == "utf-8-sig":
        encoding, bom = "utf-8", notebook.data[:3]
    stretches = dict(_source_stretches(text))
    escapes = text.isascii() and _ESCAPED_CHARACTER.search(text) is not None
    parts: list[str] = []
    end = len(text)
    for index in sorted(by_cell, reverse=True):
        cell = notebook.cells[index]
        stretch = stretches[cell.place]
        new_source = _edited(cell, by_cell[index])
        value = _respelled(text[stretch.start : stretch.end], new_source, _Spelling(escapes))
        parts += text[stretch.end : end], value
        end = stretch.start
    parts.append(text[:end])
    return bom + "".join(reversed(parts)).encode(encoding, "surrogatepass")


class _Spelling(Struct, frozen=True):
    """Whether the notebook writes characters beyond ASCII as escapes."""

    escapes: bool

    def spell(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self.escapes)


def _cell_index(notebook: Notebook, edit: Edit) -> int:
    index = bisect.bisect_right(notebook.cells, edit.start, key=lambda cell: cell.start) - 1
    if index >= 0:
        cell = notebook.cells[index]
        # The newline behind a cell belongs to the virtual text alone: cutting it is harmless.
        if edit.start <= edit.end <= cell.start + len(cell.source) + 1:
            return index
    raise ValueError(f"the edit of characters {edit.start} to {edit.end} leaves its cell")


def _edited(cell: Cell, edits: Sequence[Edit]) -> str:
    parts: list[str] = []
    done = 0
    for edit in edits:
        start, end = edit.start - cell.start, edit.end - cell.start
        if start < done:
            raise ValueError(f"edits of cell {cell.number} overlap")
        parts += cell.source[done:start], edit.text
        done = min(end, len(cell.source))
    return "".join(parts) + cell.source[done:]


def _respelled(old: str, new_source: str, spelling: _Spelling) -> str:
    """The JSON value of a cell's new source, spelled as the old value is."""
    if not old.startswith("["):
        return spelling.spell(new_source)
    elements = list(_elements(old, 0))
    spelled = [old[at.start : at.end] for at in elements if old[at.start] == '"']
    raw = {json.loads(part): part for part in spelled}
    lines = [raw.get(line) or spelling.spell(line) for line in _lines(new_source)]
    if not lines or not elements:
        return f"[{', '.join(lines)}]"
    opening, closing = old[: elements[0].start], old[elements[-1].end :]
    between = f",{opening[1:]}"
    if len(elements) > 1:
        between = old[elements[0].end : elements[1].start]
    return f"{opening}{between.join(lines)}{closing}"


def _lines(source: str) -> list[str]:
    """The parts of a source as notebooks list them: lines with their newlines."""
    return re.findall(r"[^\n]*\n|[^\n]+", source)


def _source_stretches(text: str) -> Iterator[tuple[_Place, _Stretch]]:
    """Where the source of each cell lies; the text is valid JSON."""
    members = dict(_members(text, _skip(text, 0)))
    if "cells" in members and text[members["cells"].start] == "[":
        yield from _cell_stretches(text, members["cells"], None)
        return
    for number, sheet in enumerate(_elements(text, members["worksheets"].start)):
        if text[sheet.start] == "{":
            inner = dict(_members(text, sheet.start))
            if "cells" in inner and text[inner["cells"].start] == "[":
                yield from _cell_stretches(text, inner["cells"], number)


def _cell_stretches(
    text: str, cells: _Stretch, sheet: int | None
) -> Iterator[tuple[_Place, _Stretch]]:
    for index, cell in enumerate(_elements(text, cells.start)):
        if text[cell.start] == "{":
            members = dict(_members(text, cell.start))
            if source_key(sheet) in members:
                yield (sheet, index), members[source_key(sheet)]


def _members(text: str, start: int) -> Iterator[tuple[str, _Stretch]]:
    """Names and values of the object at `start`."""
    position = _skip(text, start + 1)
    while text[position] != "}":
        name, position = _DECODER.raw_decode(text, position)
        begin = _skip(text, _skip(text, position) + 1)
        end = _DECODER.raw_decode(text, begin)[1]
        yield name, _Stretch(begin, end)
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)


def _elements(text: str, start: int) -> Iterator[_Stretch]:
    """The values in the list at `start`."""
    position = _skip(text, start + 1)
    while text[position] != "]":
        end = _DECODER.raw_decode(text, position)[1]
        yield _Stretch(position, end)
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)


def _skip(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position
