"""Measures problems, shows how far it is, and says what came of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from deepperf.bench.bar import bar
from deepperf.bench.collect import WorkloadError, obstacle
from deepperf.bench.launch import starting
from deepperf.bench.machine import this_machine
from deepperf.bench.measure import SideError, measure, side_by_side
from deepperf.bench.problem_table import (
    LEAST_RATIO,
    Row,
    as_json,
    in_order,
    markdown,
    row_of,
    shows_symptom,
    times,
)
from deepperf.bench.problems import Problem, ProblemError, pair_of, read_problem
from deepperf.rules.evidence import (
    Evidence,
    EvidenceError,
    Measurement,
    Unmeasured,
    describe,
    merged,
    read_evidence,
    write_evidence,
)
from deepperf.taxonomy.terms import load_codebook


def measure_problems(folders: Sequence[Path], repetitions: int, output: Path | None = None) -> bool:
    """Measure the problems in `folders`; whether all ran and showed their symptoms.

    Evidence is written after each problem, so that nothing is lost when the next one fails or
    the user has had enough. `output` is a folder for tables and a figure.
    """
    console = Console(highlight=False, soft_wrap=True)
    rows: list[Row] = []
    complaints: list[str] = []
    runnable: list[Problem] = []
    for folder in folders:
        try:
            problem = read_problem(folder)
            reason = problem.cannot or obstacle(pair_of(problem))
            if reason:
                _record(problem, Evidence(problem.id, unmeasured=(Unmeasured(problem.id, reason),)))
        except (ProblemError, EvidenceError) as error:
            complaints.append(str(error))
            continue
        if reason:
            rows.append(Row(problem, None, reason))
            console.print(f"{problem.id}: not measured: {reason}", markup=False)
        else:
            runnable.append(problem)
    complaints += _measure(runnable, repetitions, console, rows)
    if rows:
        console.print(_table(rows))
    if output and rows:
        for path in _write(rows, output):
            console.print(f"wrote {path}", markup=False)
    for complaint in complaints:
        print(f"deepperf: {complaint}", file=sys.stderr)
    return not complaints


def _measure(
    problems: Sequence[Problem], repetitions: int, console: Console, rows: list[Row]
) -> list[str]:
    """Adds a row for each problem that was measured, and answers what is to complain about."""
    if not problems:
        return []
    complaints = []
    machine = this_machine()
    with (
        starting() as start,
        bar(console, "processes") as progress,
    ):
        run_round = side_by_side(start)
        task = progress.add_task("", total=2 * repetitions * len(problems))
        for number, problem in enumerate(problems):
            progress.update(task, description=problem.id, completed=2 * repetitions * number)
            pair = pair_of(problem)
            try:
                measured = measure(
                    pair, repetitions, machine, lambda: progress.advance(task), run_round
                )
                _record(problem, Evidence(problem.id, measurements=(measured,)))
            except (WorkloadError, SideError, EvidenceError) as error:
                complaints.append(str(error))
                continue
            rows.append(Row(problem, measured))
            console.print(f"{problem.id}: {describe(measured)}", markup=False)
            if not shows_symptom(measured):
                least = measured.comparison.low or 0.0
                complaints.append(
                    f"{problem.id}: the symptom does not show: {measured.quantity} is "
                    f"{times(measured)}, which is {least:.2f}x or more, not {LEAST_RATIO}x"
                )
    return complaints


def _record(problem: Problem, new: Evidence) -> None:
    old = read_evidence(problem.evidence, problem.id)
    updated = merged(old, new, [pair_of(problem)])
    if updated != old and not any(_says_less(new, entry) for entry in old.measurements):
        write_evidence(problem.evidence, updated)


def _says_less(new: Evidence, old: Measurement) -> bool:
    """Whether `new` is a quick look at what `old` measured more often."""
    return any(
        (entry.digest, entry.machine, entry.versions) == (old.digest, old.machine, old.versions)
        and len(entry.bad) < len(old.bad)
        for entry in new.measurements
    )


def _table(rows: Sequence[Row]) -> Table:
    causes = load_codebook().causes
    table = Table("problem", "cause", "quantity", "worse by", "same within", box=SIMPLE)
    table.columns[0].no_wrap = True
    for row in in_order(rows):
        found = row.measurement
        cells = ["", f"not measured: {row.reason}", ""]
        if found:
            cells = [found.quantity, times(found), f"{found.tolerance:g}"]
        table.add_row(row.problem.id, causes[row.problem.cause].title, *cells)
    return table


def _write(rows: Sequence[Row], folder: Path) -> tuple[Path, ...]:
    from deepperf.bench.problem_figure import draw

    folder.mkdir(parents=True, exist_ok=True)
    data, table = folder / "problems.json", folder / "problems.md"
    data.write_text(json.dumps(as_json(rows), indent=2) + "\n", encoding="utf-8")
    table.write_text(markdown(rows), encoding="utf-8")
    return data, table, *draw(rows, folder, "problems")


def recorded_rows(folders: Sequence[Path]) -> tuple[Row, ...]:
    """What the evidence beside the problems says. Raises ProblemError and EvidenceError."""
    problems = [read_problem(folder) for folder in folders]
    return tuple(row_of(one, read_evidence(one.evidence, one.id)) for one in problems)
