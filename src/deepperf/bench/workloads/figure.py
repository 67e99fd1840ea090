"""Draws what each patch alone saves, beside what was promised, and who told the problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deepperf.bench.workloads.measured import saved
from deepperf.bench.workloads.said import told
from deepperf.bench.workloads.table import LOUD, Rows
from deepperf.bench.workloads.workload import TOOLS

# Okabe and Ito's colours, which stay apart for colour-blind eyes; each has a shape of its own.
PROMISED = {"run": ("#E69F00", "s"), "prove": ("#009E73", "D")}
INCHES_PER_ROW = 0.2


def draw(rows: Rows, folder: Path, name: str) -> tuple[Path, ...]:
    """Write `name`.svg and `name`.png into `folder`; the paths written."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "path", "font.size": 7}):
        count = sum(len(workload.problems) + 1 for workload, _ in rows)
        size = (8, INCHES_PER_ROW * count + 1)
        figure, axes = pyplot.subplots(figsize=size, layout="constrained")
        _draw(axes, rows)
        paths = (folder / f"{name}.svg", folder / f"{name}.png")
        figure.savefig(paths[0], metadata={"Date": None})
        figure.savefig(paths[1], dpi=160)
        pyplot.close(figure)
    return paths


def _draw(axes: Any, rows: Rows) -> None:
    labels: list[str] = []
    used: dict[str, Any] = {}
    for workload, measured in rows:
        written = measured.said.get("written", {})
        for problem in (None, *workload.problems):
            height = len(labels)
            key = problem.name if problem else "tuned"
            labels.append(key if problem else f"{workload.name}: all")
            if pairs := measured.pairs.get(key):
                middle, least, most = saved(pairs)
                colour = "#0072B2" if problem else "0.35"
                axes.plot([least * 100, most * 100], [height, height], color=colour, linewidth=1)
                point = axes.plot(middle * 100, height, "o", color=colour, markersize=4)[0]
                used.setdefault("measured" if problem else "all patches", point)
            if problem is None:
                continue
            hits = {tool: told(problem, written.get(tool, ())) for tool in TOOLS}
            for tool, (colour, shape) in PROMISED.items():
                hit = hits[tool]
                if hit and hit.promised is not None and hit.level in LOUD:
                    place = hit.promised * 100
                    label = f"promised by {tool}"
                    used[label] = axes.plot(
                        place, height, shape, color=colour, markersize=4, fillstyle="none"
                    )[0]
            named = [tool for tool in ("check", "run") if hits[tool]]
            if (proof := hits["prove"]) and proof.level in LOUD:
                named.append("prove")
            signs = " ".join(named) or "nobody"
            axes.annotate(
                signs,
                (1.0, height),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                color="0.25",
            )
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.axvline(0, color="0.8", linewidth=0.6)
    axes.set_xlabel("% of the CPU time saved; on the right, who names the problem")
    axes.legend(used.values(), used.keys(), loc="lower right")
