"""Figures of the study, readable in print and for the colour-blind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deepperf.study.tables import Table

INK = "#1b4f72"
SHADES = "cividis_r"  # even in lightness, so that it survives print and colour blindness
ENDINGS = ("svg", "png")


def draw(tables: Mapping[str, Table], folder: Path) -> list[Path]:
    """Write each table that can be drawn as SVG and PNG; the files written.

    Raises OSError where the folder cannot be written to.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    # Texts stay texts, and nothing in the file tells when it was made.
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": "study", "font.size": 9}):
        for name, drawing in DRAWINGS.items():
            figure = drawing(pyplot, tables[name])
            for ending in ENDINGS:
                path = folder / f"{name}.{ending}"
                figure.savefig(path, dpi=200, bbox_inches="tight", metadata=_undated(ending))
                written.append(path)
            pyplot.close(figure)
    return written


def _undated(ending: str) -> dict[str, None] | None:
    return {"Date": None} if ending == "svg" else None


def _bars(pyplot: Any, table: Table) -> Any:
    rows = [row for row in table.rows if row[0] != "all"]
    figure, axes = pyplot.subplots(figsize=(6.5, 0.32 * len(rows) + 0.9))
    bars = axes.barh([row[0] for row in rows], [row[1] for row in rows], color=INK)
    axes.bar_label(bars, labels=[f"{row[1]} ({row[2]} %)" for row in rows], padding=3)
    axes.invert_yaxis()
    axes.set_xlabel("problems")
    axes.set_title(table.title, loc="left")
    axes.margins(x=0.18)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _grid(pyplot: Any, table: Table) -> Any:
    rows = [row for row in table.rows if row[0] != "all"]
    columns = table.columns[1:-1]
    counts = [list(row[1:-1]) for row in rows]
    size = (0.62 * len(columns) + 2.6, 0.36 * len(rows) + 1.8)
    figure, axes = pyplot.subplots(figsize=size)
    shaded = [[count or float("nan") for count in row] for row in counts]  # none stays white
    image = axes.imshow(shaded, cmap=SHADES, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    for y, row in enumerate(counts):
        for x, count in enumerate(row):
            if count:
                # Dark shades get light digits.
                shade = "white" if image.norm(count) > 0.5 else "black"
                axes.text(x, y, count, ha="center", va="center", color=shade)
    axes.set_title(table.title, loc="left")
    return figure


DRAWINGS: Mapping[str, Callable[[Any, Table], Any]] = {
    "causes": _bars,
    "symptoms": _bars,
    "introduced": _bars,
    "exposed": _bars,
    "stages": _grid,
    "causes-and-symptoms": _grid,
}
