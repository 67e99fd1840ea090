"""Writes the tables and the figure of all workloads that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deepperf.bench.workloads.measured import read_measured
from deepperf.bench.workloads.table import Rows, markdown
from deepperf.bench.workloads.workload import read_workload


def kept(folders: Sequence[Path], results: Path) -> Rows:
    """The workloads with what is kept of each. Raises WorkloadError."""
    paths = {folder: results / f"{folder.name}.json" for folder in folders}
    return tuple(
        (read_workload(folder), read_measured(path))
        for folder, path in paths.items()
        if path.exists()
    )


def write_report(folders: Sequence[Path], results: Path) -> tuple[Path, ...]:
    """Write `workloads.md` and the figure; the paths written."""
    from deepperf.bench.workloads.figure import draw

    rows = kept(folders, results)
    if not rows:
        return ()
    table = results / "workloads.md"
    table.write_text(markdown(rows), encoding="utf-8")
    return table, *draw(rows, results, "workloads")
