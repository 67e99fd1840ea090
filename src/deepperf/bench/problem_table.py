"""What was measured of problems, as rows, Markdown, JSON and counts by cause."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from deepperf.bench.problems import Problem
from deepperf.rules.evidence import DISPLAY_NAMES, Evidence, Machine, Measurement, current, figure
from deepperf.taxonomy.terms import load_codebook

FORMAT = 1
LEAST_RATIO = 1.3
"""A buggy side that is less worse than this does not show its symptom."""


@dataclass(frozen=True, slots=True)
class Row:
    """A problem with what was measured of it, or why nothing was."""

    problem: Problem
    measurement: Measurement | None
    reason: str = ""


def row_of(problem: Problem, evidence: Evidence) -> Row:
    """The problem with its newest measurement on the newest versions that there is."""
    newest = max(current(evidence), key=lambda entry: entry.date, default=None)
    reasons = {entry.pair: entry.reason for entry in evidence.unmeasured}
    reason = problem.cannot or reasons.get(problem.id, "not measured yet")
    return Row(problem, newest, "" if newest else reason)


def shows_symptom(measurement: Measurement) -> bool:
    """Whether the buggy side is surely worse by LEAST_RATIO, as far as one can tell."""
    low = measurement.comparison.low
    return min(measurement.bad) > 0 if low is None else low >= LEAST_RATIO


def times(measurement: Measurement) -> str:
    """By how much the buggy side is worse, in short: "45x (34 to 60)"."""
    comparison = measurement.comparison
    if comparison.ratio is None:
        return f"{figure(measurement.bad[0])} instead of 0"
    if comparison.low == comparison.high or comparison.low is None or comparison.high is None:
        return f"{figure(comparison.ratio)}x"
    interval = f"{figure(comparison.low)} to {figure(comparison.high)}"
    return f"{figure(comparison.ratio)}x ({interval})"


def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows by cause, as the codebook orders them, the worst first, unmeasured ones last."""
    causes = list(load_codebook().causes)

    def place(row: Row) -> tuple[int, float, str]:
        measured = row.measurement
        ratio = -1.0 if measured is None else measured.comparison.ratio
        worst = -float("inf") if ratio is None else -ratio
        return causes.index(row.problem.cause), worst, row.problem.id

    return tuple(sorted(rows, key=place))


def markdown(rows: Sequence[Row]) -> str:
    """A table with one row for each problem, and below it where it was measured."""
    causes = load_codebook().causes
    lines = [
        "| problem | what it is | cause | quantity | work | buggy is worse by |",
        "|---|---|---|---|---|---|",
    ]
    for row in in_order(rows):
        problem, found = row.problem, row.measurement
        what = [problem.id, problem.title, causes[problem.cause].title]
        if found:
            what += [found.quantity, found.size, times(found)]
        else:
            what += ["", "", f"not measured: {row.reason}"]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in what)} |")
    return "\n".join([*lines, "", *(f"{where}." for where in places(rows)), ""])


def counts_by_cause(rows: Sequence[Row]) -> str:
    """A Markdown table: for each cause how many problems, and by how much they are worse."""
    causes = load_codebook().causes
    by_cause: dict[str, list[Row]] = {}
    for row in in_order(rows):
        by_cause.setdefault(row.problem.cause, []).append(row)
    lines = [
        "| cause | problems | symptom shown | least | median | most |",
        "|---|---|---|---|---|---|",
    ]
    for cause, group in by_cause.items():
        found = [row.measurement for row in group if row.measurement]
        ratios = [one.comparison.ratio for one in found if one.comparison.ratio is not None]
        shown = sum(shows_symptom(one) for one in found)
        spread = ["", "", ""]
        if ratios:
            spread = [
                f"{figure(value)}x"
                for value in (min(ratios), statistics.median(ratios), max(ratios))
            ]
        cells = [causes[cause].title, str(len(group)), str(shown), *spread]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"{where}." for where in places(rows))])


def places(rows: Iterable[Row]) -> tuple[str, ...]:
    """Where the rows were measured, one sentence for each machine."""
    dates: dict[Machine, list[Measurement]] = {}
    for row in rows:
        if row.measurement:
            dates.setdefault(row.measurement.machine, []).append(row.measurement)
    return tuple(_place(machine, found) for machine, found in dates.items())


def _place(machine: Machine, found: Sequence[Measurement]) -> str:
    versions = {f"{DISPLAY_NAMES.get(one.framework, one.framework)} {one.version}" for one in found}
    processes = sorted({len(one.bad) for one in found})
    days = sorted({one.date for one in found})
    return (
        f"Measured on {machine.cpu} ({machine.cores} cores), {', '.join(sorted(versions))}, "
        f"{_range(days)}, processes a side: {_range(processes)}"
    )


def _range(values: Sequence[object]) -> str:
    return " to ".join(dict.fromkeys((str(values[0]), str(values[-1]))))


def as_json(rows: Iterable[Row]) -> dict[str, Any]:
    """All that is known of the rows, raw values and machines too."""
    entries = []
    for row in in_order(rows):
        problem, found = row.problem, row.measurement
        entry: dict[str, Any] = {
            name: getattr(problem, name)
            for name in ("id", "title", "framework", "era", "confidence", "cause", "symptoms")
        }
        entry |= {"introduced": problem.introduced, "exposed": problem.exposed}
        if found:
            entry["symptom_shown"] = shows_symptom(found)
            entry["measurement"] = asdict(found) | {"versions": dict(found.versions)}
        else:
            entry["not_measured"] = row.reason
        entries.append(entry)
    return {"format": FORMAT, "least_ratio": LEAST_RATIO, "problems": entries}
