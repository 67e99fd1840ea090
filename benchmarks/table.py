"""A speed result as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

HEAD = (
    "subject",
    "files",
    "lines",
    "tool",
    "CPU s",
    "lines per CPU s",
    "times ruff",
    "wall s",
    "peak MB",
)


def markdown(result: Mapping[str, Any]) -> str:
    """The medians of a result that `benchmarks.speed` wrote, and where they were measured."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    where = (
        f"Measured {result['date']} on {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['memory'] / 2**30:.0f} GiB, {machine['system']}; Python {result['python']}, "
        f"{versions}. Medians; deepperf on one core, with all rules where it does not say "
        "otherwise: one rule shows what reading costs it, `ast.parse` what parsing does. Files and "
        "lines are those that a tool checks: deepperf leaves out what programs wrote."
    )
    lines = [
        where,
        "",
        f"| {' | '.join(HEAD)} |",
        f"|{'---|' * len(HEAD)}",
        *(f"| {' | '.join(cells)} |" for cells in _cells(result["rows"])),
        "",
        *_starts(result["rows"]),
    ]
    return "\n".join(lines) + "\n"


def _cells(rows: list[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    ruff = {row["subject"]: _median(row, "cpu") for row in rows if row["tool"] == "ruff F"}
    for row in rows:
        if not row["lines"]:
            continue
        cpu = _median(row, "cpu")
        yield (
            row["subject"],
            f"{row['files']:,}",
            f"{row['lines']:,}",
            row["tool"],
            f"{cpu:.2f}",
            f"{row['lines'] / cpu:,.0f}",
            f"{cpu / ruff[row['subject']]:.1f}",
            f"{_median(row, 'wall'):.2f}",
            f"{_median(row, 'memory') / 2**20:,.0f}",
        )


def _starts(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        if not row["lines"]:
            yield f"- `{row['tool']}`: {_median(row, 'wall') * 1000:.0f} ms"


def _median(row: Mapping[str, Any], quantity: str) -> float:
    values: list[float] = [cost[quantity] for cost in row["costs"]]
    return median(values)
