"""Measures workloads, asks deepperf about them, and writes what came of it."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path

from rich.console import Console

from deepperf import __version__
from deepperf.bench.bar import bar
from deepperf.bench.workloads.measured import (
    Measured,
    Pairs,
    Sides,
    read_measured,
    saved,
    write_measured,
)
from deepperf.bench.workloads.said import Said, ask_check, ask_prove, ask_run
from deepperf.bench.workloads.trial import (
    Results,
    Trial,
    copied,
    differences,
    patched,
    run_program,
)
from deepperf.bench.workloads.workload import (
    TUNED,
    WRITTEN,
    Workload,
    WorkloadError,
    read_workload,
)
from deepperf.rules.evidence import Machine

MEASURE = "measure"
PARTS = (MEASURE, "check", "run", "prove")
LIBRARIES = {
    "torch": ("torch", "numpy"),
    "tensorflow": ("tensorflow-cpu", "keras", "numpy", "scikit-learn"),
    "keras": ("keras", "tensorflow-cpu", "numpy", "scikit-learn"),
    "jax": ("jax", "numpy"),
}
SIDES = {"written": WRITTEN, "tuned": TUNED}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which parts are done, how many pairs are run of each variant, and how long `prove` takes."""

    parts: Sequence[str] = PARTS
    rounds: int = 1
    budget: str = "60s"


def measure_workloads(
    folders: Sequence[Path], results: Path, wanted: Wanted, machine: Machine
) -> bool:
    """Do `wanted` of the workloads in `folders`; whether all ran, with the same results.

    What came of each is written to `results` before the next one begins.
    """
    console = Console(highlight=False, soft_wrap=True)
    complaints: list[str] = []
    with bar(console, "workloads") as progress:
        task = progress.add_task("", total=len(folders))
        for folder in folders:
            progress.update(task, description=folder.name)
            path = results / f"{folder.name}.json"
            try:
                workload = read_workload(folder)
                done = _done(workload, read_measured(path), wanted)
                done = replace(done, machine=asdict(machine))
            except (WorkloadError, ValueError) as error:
                complaints.append(f"{folder.name}: {error}")
            else:
                write_measured(path, done)
                complaints += [f"{folder.name}: {remark}" for remark in done.remarks]
                if done.pairs:
                    console.print(f"{folder.name}: tuned saves {saved(done.pairs['tuned'])[0]:.0%}")
            progress.advance(task)
    for complaint in complaints:
        print(f"deepperf: {complaint}", file=sys.stderr)
    return not complaints


def _done(workload: Workload, before: Measured, wanted: Wanted) -> Measured:
    remarks: list[str] = []
    pairs = before.pairs
    if MEASURE in wanted.parts:
        pairs = measured_pairs(workload, wanted.rounds, remarks.append)
    said = _asked(workload, before.said, wanted)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    # What a tool said the first time that it saw a program is never written again.
    first = {side: {**tools, **before.first.get(side, {})} for side, tools in said.items()}
    return replace(
        before,
        date=today,
        deepperf=__version__,
        versions={name: _version(name) for name in LIBRARIES.get(workload.framework, ())},
        pairs=pairs,
        said=said,
        first=first,
        first_date=before.first_date or today,
        remarks=tuple(remarks),
    )


def measured_pairs(
    workload: Workload, rounds: int, complain: Callable[[str], None]
) -> Mapping[str, Pairs]:
    """Pairs of the written program and each variant, in fresh processes that alternate."""
    with ExitStack() as stack:
        programs = {"tuned": stack.enter_context(copied(workload.folder / TUNED))}
        for problem in workload.problems:
            programs[problem.name] = stack.enter_context(patched(workload, [problem]))
        written = stack.enter_context(copied(workload.folder / WRITTEN))
        pairs: dict[str, list[tuple[Trial, Trial]]] = {name: [] for name in programs}
        for number in range(rounds):
            names = list(programs) if number % 2 == 0 else [*reversed(programs)]
            for name, one, other in _alternating(workload.framework, written, names, programs):
                for line in differences(one.results, other.results, workload.tolerance):
                    complain(f"{name} gives other results: {line}")
                pairs[name].append((one, other))
    return {name: tuple(ran) for name, ran in pairs.items()}


def _alternating(
    framework: str, written: Path, names: Sequence[str], programs: Mapping[str, Path]
) -> Iterator[tuple[str, Trial, Trial]]:
    """Each variant with a run of the written program right before or right after it."""
    for start in range(0, len(names), 2):
        first, *second = names[start : start + 2]
        before = run_program(programs[first], framework)
        middle = run_program(written, framework)
        yield first, middle, before
        for name in second:
            yield name, middle, run_program(programs[name], framework)


def _asked(workload: Workload, before: Sides, wanted: Wanted) -> Sides:
    """What the wanted tools say now of both sides, and what others said before.

    `prove` is asked about the written program alone.
    """
    said: dict[str, dict[str, tuple[Said, ...]]] = {
        side: dict(before.get(side, {})) for side in SIDES
    }
    for side, file in SIDES.items():
        program = workload.folder / file
        if "check" in wanted.parts:
            said[side]["check"] = ask_check(program)
        if "run" in wanted.parts:
            said[side]["run"] = ask_run(program)
    if "prove" in wanted.parts:
        program = workload.folder / WRITTEN
        said["written"]["prove"] = ask_prove(program, workload.short, wanted.budget)
    return said


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def same_results(workload: Workload) -> tuple[Results, tuple[str, ...]]:
    """The results of a tiny run of both sides, and where they differ."""
    with copied(workload.folder / WRITTEN) as one, copied(workload.folder / TUNED) as other:
        written = run_program(one, workload.framework, workload.small).results
        tuned = run_program(other, workload.framework, workload.small).results
    return written, differences(written, tuned, workload.tolerance)
