"""Draws by how much the buggy sides of problems are worse, grouped by cause."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deepperf.bench.problem_table import LEAST_RATIO, Row, in_order, places
from deepperf.taxonomy.terms import load_codebook

# Okabe and Ito's colours, which stay apart for colour-blind eyes; each has a shape of its own.
LOOKS = {
    "CPU time": ("#0072B2", "o"),
    "time": ("#E69F00", "s"),
    "memory": ("#CC79A7", "D"),
    "counts": ("#009E73", "^"),
}
INCHES_PER_ROW = 0.21


def draw(rows: Sequence[Row], folder: Path, name: str) -> tuple[Path, ...]:
    """Write `name`.svg and `name`.png into `folder`; the paths written."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    shown = [row for row in in_order(rows) if row.measurement]
    settings = {"svg.hashsalt": name, "svg.fonttype": "path", "font.size": 8}
    with mpl.rc_context(settings):
        height = max(2.5, INCHES_PER_ROW * len(shown) + 1.2)
        figure, axes = pyplot.subplots(figsize=(8, height), layout="constrained")
        _draw_rows(axes, shown)
        figure.supxlabel("\n".join(places(shown)), fontsize=6, color="0.3", x=0.01, ha="left")
        paths = (folder / f"{name}.svg", folder / f"{name}.png")
        figure.savefig(paths[0], metadata={"Date": None})
        figure.savefig(paths[1], dpi=160)
        pyplot.close(figure)
    return paths


def _draw_rows(axes: Any, rows: Sequence[Row]) -> None:
    causes = load_codebook().causes
    most = max(
        (row.measurement.comparison.ratio or 1 for row in rows if row.measurement), default=1
    )
    used: dict[str, Any] = {}
    previous = ""
    for height, row in enumerate(rows):
        measured = row.measurement
        if measured is None:
            continue
        kind = measured.quantity if measured.quantity in LOOKS else "counts"
        colour, shape = LOOKS[kind]
        comparison = measured.comparison
        ratio, low, high = comparison.ratio, comparison.low, comparison.high
        if ratio is None:
            axes.annotate(
                "without end", (most, height), color=colour, ha="right", va="center", fontsize=7
            )
        else:
            axes.plot([low, high], [height, height], color=colour, linewidth=1.2)
            used[kind] = axes.plot(ratio, height, shape, color=colour, markersize=4.5)[0]
        if row.problem.cause != previous:
            previous = row.problem.cause
            axes.axhline(height - 0.5, color="0.85", linewidth=0.6)
            title = causes[previous].title
            axes.annotate(
                title,
                (1.0, height),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color="0.25",
            )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.axvline(1, color="0.4", linewidth=0.8)
    axes.axvline(LEAST_RATIO, color="0.6", linewidth=0.6, linestyle=":")
    axes.set_yticks(range(len(rows)), [row.problem.id.removeprefix("so-") for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("buggy / fixed, each in its own quantity (logarithmic, with 95 % interval)")
    axes.tick_params(axis="y", length=0, labelsize=6.5)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    if used:
        axes.legend(
            used.values(),
            used.keys(),
            loc="lower right",
            bbox_to_anchor=(1, 1),
            ncols=4,
            frameon=False,
            fontsize=7,
        )
