"""Measures all pairs of some rules, with progress on a terminal, and writes their evidence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console

from deepperf.bench.bar import bar
from deepperf.bench.collect import WorkloadError, obstacle
from deepperf.bench.machine import this_machine
from deepperf.bench.measure import SideError, measure
from deepperf.records import Pair
from deepperf.rules.evidence import (
    Evidence,
    EvidenceError,
    Unmeasured,
    describe,
    digest,
    merged,
    read_evidence,
    write_evidence,
)
from deepperf.rules.page import PageError, read_page
from deepperf.rules.registry import RuleFiles

Wanted = Callable[[Evidence, Pair], bool]
"""Tells whether a pair is to be measured, from what is known already."""


@dataclass(frozen=True, slots=True)
class Task:
    """One rule with all its pairs, and why some cannot be measured here."""

    files: RuleFiles
    pairs: tuple[Pair, ...]
    hindered: tuple[Unmeasured, ...]

    wanted: Wanted

    @property
    def runnable(self) -> tuple[Pair, ...]:
        names = {entry.pair for entry in self.hindered}
        known = read_evidence(self.files.evidence, self.files.name)
        pairs = (pair for pair in self.pairs if pair.id not in names)
        return tuple(pair for pair in pairs if self.wanted(known, pair))


def every_pair(_: Evidence, __: Pair) -> bool:
    """Measure all that there is."""
    return True


def changed_pair(known: Evidence, pair: Pair) -> bool:
    """Measure what was never measured as its code is now."""
    return all(digest(pair) != entry.digest for entry in known.measurements)


def measure_rules(
    rules: Sequence[RuleFiles], repetitions: int, wanted: Wanted = every_pair
) -> bool:
    """Measure what can be measured of `rules`; whether all of that ran.

    Says on standard output what each pair gave, and writes evidence after each pair, so that
    nothing is lost when the next one fails or the user has had enough.
    """
    console = Console(highlight=False, soft_wrap=True)
    tasks: list[Task] = []
    complaints: list[str] = []
    for files in rules:
        try:
            tasks.append(_task(files, wanted))
            _record(tasks[-1], Evidence(files.name, unmeasured=tasks[-1].hindered))
        except (OSError, PageError, EvidenceError) as error:
            complaints.append(str(error))
    for task in tasks:
        for entry in task.hindered:
            console.print(f"{entry.pair}: not measured: {entry.reason}", markup=False)
    if any(task.runnable for task in tasks):
        complaints += _measure_tasks(tasks, repetitions, console)
    for complaint in complaints:
        print(f"deepperf: {complaint}", file=sys.stderr)
    return not complaints


def _task(files: RuleFiles, wanted: Wanted) -> Task:
    pairs = read_page(files.page).pairs
    answers = ((pair.id, obstacle(pair)) for pair in pairs)
    hindered = tuple(Unmeasured(pair, why) for pair, why in answers if why)
    return Task(files, pairs, hindered, wanted)


def _measure_tasks(tasks: Sequence[Task], repetitions: int, console: Console) -> list[str]:
    complaints = []
    machine = this_machine()
    runnable = [(task, task.runnable) for task in tasks]
    processes = sum(2 * repetitions * len(pairs) for _, pairs in runnable)
    with bar(console, "processes") as progress:
        all_of_it = progress.add_task("", total=processes)
        planned = 0
        for task, pairs in runnable:
            for pair in pairs:
                progress.update(all_of_it, description=pair.id, completed=planned)
                planned += 2 * repetitions
                try:
                    measurement = measure(
                        pair, repetitions, machine, lambda: progress.advance(all_of_it)
                    )
                except (WorkloadError, SideError) as error:
                    complaints.append(str(error))
                    continue
                console.print(f"{pair.id}: {describe(measurement)}", markup=False)
                _record(task, Evidence(task.files.name, measurements=(measurement,)))
    return complaints


def _record(task: Task, new: Evidence) -> None:
    old = read_evidence(task.files.evidence, task.files.name)
    updated = merged(old, new, task.pairs)
    if updated != old:
        write_evidence(task.files.evidence, updated)
