"""Tables as text for terminals, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from deepperf.study.tables import Table

if TYPE_CHECKING:
    from rich.table import Table as Drawn


def drawn(table: Table) -> Drawn:
    """The table for rich to print."""
    from rich.box import SIMPLE
    from rich.markup import escape
    from rich.table import Table as Drawn

    result = Drawn(title=escape(table.title), title_justify="left", box=SIMPLE)
    for number, column in enumerate(table.columns):
        is_count = number > 0 and all(isinstance(row[number], int) for row in table.rows)
        result.add_column(escape(column), justify="right" if is_count else "left")
    for row in table.rows:
        result.add_row(*(escape(str(cell)) for cell in row))
    return result


def markdown(table: Table) -> str:
    """The table as GitHub's Markdown, under a heading."""
    lines = [f"### {table.title}", "", _line(table.columns), _line(["---"] * len(table.columns))]
    lines += [_line(row) for row in table.rows]
    return "\n".join(lines) + "\n"


def _line(cells: tuple[str | int, ...] | tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def comma_separated(table: Table) -> str:
    """The table as CSV, with its columns in the first line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return stream.getvalue()


FORMATS: Mapping[str, tuple[str, Callable[[Table], str]]] = {
    "markdown": ("md", markdown),
    "csv": ("csv", comma_separated),
}
"""How a table is written to a file, by format: the file's ending and the function."""
