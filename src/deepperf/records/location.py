"""Where something stands in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A stretch of text in one file.

    Lines and columns count from 1; columns count characters (code points), not bytes;
    the end column is exclusive. In a notebook `line` counts within the cell named by
    `cell` (from 1); in a plain file `cell` is 0.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int = 0

    def __str__(self) -> str:
        place = f"{self.path}:cell {self.cell}" if self.cell else self.path
        return f"{place}:{self.line}:{self.column}"
