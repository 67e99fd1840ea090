"""A notebook's code cells as one virtual Python file, with the way back to the cells."""

from __future__ import annotations

import bisect
import itertools
import json
from collections.abc import Mapping, Sequence

from msgspec import Struct

from deepperf.notebooks.magics import blank, without_magics
from deepperf.records import Failure, Location, Role
from deepperf.semantics.text.layout import logical_lines
from deepperf.semantics.text.source import role_of
from deepperf.semantics.text.syntax import line_starts, parse, parse_strictly

LARGEST_BYTES = 256 * 1024 * 1024
_INDENTED = "if 1:\n"
"""What stands before a cell whose first line is indented: IPython takes the indentation away."""


class Cell(Struct, frozen=True):
    """One code cell.

    `number` counts the notebook's code cells from 1, in their order, whatever stands
    between them. `source` is the cell's own text; in the virtual text it begins at
    character `start` and at line `line` (from 1). `place` is the index of its worksheet
    (None in notebooks of format 4) and of the cell among all cells there.
    """

    number: int
    source: str
    start: int
    line: int
    place: tuple[int | None, int]


class Notebook(Struct, frozen=True):
    """A notebook as it lay on disk, and its code.

    `text` joins the code cells, each followed by a newline, and a line before those that are
    indented. Magics, and cells that do not parse, are replaced in it without moving anything;
    `failures` names those cells.
    """

    path: str
    data: bytes
    text: str
    cells: tuple[Cell, ...]
    role: Role
    failures: tuple[Failure, ...] = ()

    def cell_line(self, line: int) -> tuple[int, int]:
        """The cell's number, and the line in it, of a line of the virtual text (from 1)."""
        if not self.cells:
            return 0, line
        index = bisect.bisect_right(self.cells, line, key=lambda cell: cell.line) - 1
        cell = self.cells[max(index, 0)]
        return cell.number, line - cell.line + 1


def read_notebook(path: str, data: bytes) -> Notebook | Failure:
    """The code of a notebook of format 3 or 4; a Failure for what is no notebook.

    A notebook in another language than Python has no code cells for us. Never raises.
    """
    if len(data) > LARGEST_BYTES:
        size = f"{len(data) / 2**20:.0f} MiB"
        return _failure(path, f"{size} is more than a notebook is expected to hold")
    if not data.strip():
        return _failure(path, "the notebook is empty")
    try:
        content = json.loads(data)
    except RecursionError:
        return _failure(path, "its JSON is nested too deeply")
    except ValueError as error:
        return _failure(path, f"not valid JSON: {_one_line(error)}")
    found = _code_cells(content)
    if found is None:
        return _failure(path, "it has no list of cells, so it is no notebook")
    placed = found if _is_python(content) else []
    texts = [without_magics(source) for _, source in placed]
    heads = [_INDENTED if _is_indented(text) else "" for text in texts]
    cells = _laid_out(placed, heads)
    failures: list[Failure] = []
    if isinstance(parse_strictly(_joined(heads, texts)), Exception):
        for index, cell in enumerate(cells):
            if not heads[index] and (lost := parse(texts[index]).failures):
                texts[index] = blank(texts[index])
                line, column, message = lost[0]
                place = Location(path, line, column, line, column, cell.number)
                failures.append(Failure(place, f"the whole cell: {message}"))
    text = _joined(heads, texts)
    return Notebook(path, data, text, tuple(cells), role_of(path), tuple(failures))


def _failure(path: str, message: str) -> Failure:
    return Failure(Location(path, 1, 1, 1, 1), message)


def _one_line(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    return "it is not UTF-8" if isinstance(error, UnicodeError) else str(error).partition("\n")[0]


def _code_cells(content: object) -> list[tuple[tuple[int | None, int], str]] | None:
    """Place and source of each code cell, or None if this is no notebook."""
    if not isinstance(content, Mapping):
        return None
    if isinstance(cells := content.get("cells"), list):
        return _sources(None, cells)
    sheets = content.get("worksheets")
    if not isinstance(sheets, list):
        return None
    found = []
    for number, sheet in enumerate(sheets):
        if isinstance(sheet, Mapping) and isinstance(cells := sheet.get("cells"), list):
            found += _sources(number, cells)
    return found


def _sources(
    sheet: int | None, cells: Sequence[object]
) -> list[tuple[tuple[int | None, int], str]]:
    found = []
    for index, cell in enumerate(cells):
        if isinstance(cell, Mapping) and cell.get("cell_type") == "code":
            source = cell.get(source_key(sheet))
            if isinstance(source, list):
                source = "".join(part for part in source if isinstance(part, str))
            is_python = cell.get("language", "python") == "python"
            if isinstance(source, str):
                found.append(((sheet, index), source if is_python else blank(source)))
    return found


def source_key(sheet: int | None) -> str:
    """Where a code cell keeps its text: formats before 4 have worksheets, and another name."""
    return "source" if sheet is None else "input"


def _is_python(content: Mapping[str, object]) -> bool:
    """Whether the notebook says that it is written in Python, or says nothing."""
    metadata = content.get("metadata")
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        entry = metadata.get(key) if isinstance(metadata, Mapping) else None
        language = entry.get(name) if isinstance(entry, Mapping) else None
        if isinstance(language, str):
            return "python" in language.lower()
    return True


def _is_indented(text: str) -> bool:
    """Whether all that a cell needs to be Python is that it may be indented."""
    first = next(iter(logical_lines(text)), None)
    return bool(first and first.column) and not parse(_INDENTED + text).failures


def _joined(heads: Sequence[str], texts: Sequence[str]) -> str:
    return "".join(f"{head}{text}\n" for head, text in zip(heads, texts, strict=True))


def _laid_out(
    placed: Sequence[tuple[tuple[int | None, int], str]], heads: Sequence[str]
) -> list[Cell]:
    sources = [source for _, source in placed]
    lengths = (len(head) + len(source) + 1 for head, source in zip(heads, sources, strict=True))
    ends = itertools.accumulate(lengths, initial=0)
    offsets = [end + len(head) for end, head in zip(ends, heads, strict=False)]
    starts = line_starts(_joined(heads, sources))
    return [
        Cell(number, source, offset, bisect.bisect_right(starts, offset), place)
        for number, ((place, source), offset) in enumerate(zip(placed, offsets, strict=True), 1)
    ]
