"""Runs both sides of a pair in turn, each time in a fresh process."""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepperf.bench.collect import Plan, plan_of
from deepperf.bench.compare import compare
from deepperf.bench.machine import environment
from deepperf.records import Pair, SourceFile
from deepperf.rules.evidence import Machine, Measurement, digest

LONGEST_SECONDS = 600
WORKER = Path(__file__).with_name("worker.py")


class SideError(Exception):
    """A side that did not run to its end, or gave another result, in one line that names it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one process cost, in the plan's unit, and what it returned."""

    value: float
    versions: dict[str, str]
    structure: list[str]
    results: list[Any]


def measure(
    pair: Pair, repetitions: int, machine: Machine, after_process: Callable[[], None]
) -> Measurement:
    """Measure `pair` in `repetitions` processes per side; `after_process` is told of each.

    Raises WorkloadError for a workload that asks for what there is not, and SideError.
    """
    plan = plan_of(pair)
    bad: list[Sample] = []
    good: list[Sample] = []
    for _ in range(repetitions):
        for name, side, samples in (("bad", pair.bad, bad), ("good", pair.good, good)):
            samples.append(run_side(f"{pair.id}: the {name} side", side, pair, plan))
            after_process()
        require_same(pair.id, bad[-1], good[-1], plan.tolerance)
    bad_values = tuple(sample.value for sample in bad)
    good_values = tuple(sample.value for sample in good)
    try:
        comparison = compare(bad_values, good_values)
    except ValueError as error:
        raise SideError(f"{pair.id}: the two sides cannot be compared: {error}") from None
    return Measurement(
        pair=pair.id,
        digest=digest(pair),
        framework=pair.framework,
        quantity=plan.quantity,
        unit=plan.unit,
        size=plan.size,
        bad=bad_values,
        good=good_values,
        comparison=comparison,
        machine=machine,
        threads=plan.threads,
        python=platform.python_version(),
        versions=tuple(sorted(good[-1].versions.items())),
        date=datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
        results_equal=True,
        tolerance=plan.tolerance,
    )


def run_side(name: str, files: tuple[SourceFile, ...], pair: Pair, plan: Plan) -> Sample:
    """Run one side once. `name` names it in errors. Raises SideError."""
    with tempfile.TemporaryDirectory(prefix="deepperf-") as temporary:
        folder = Path(temporary)
        sources = folder / "side"
        for file in files:
            path = sources / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
        workload = folder / "workload.py"
        workload.write_text(pair.workload, encoding="utf-8")
        job = {
            "side": str(sources / files[0].path),
            "workload": str(workload),
            "framework": pair.framework,
            "quantity": plan.quantity,
            "counts": plan.counts,
            "warm_ups": plan.warm_ups,
        }
        job_file = folder / "job.json"
        job_file.write_text(json.dumps(job), encoding="utf-8")
        _run_worker(name, job_file, sources, plan)
        out = json.loads((folder / "out.json").read_text(encoding="utf-8"))
        results = _read_results(folder / "results.npz", len(out["structure"]))
    return Sample(out["value"], out["versions"], out["structure"], results)


def _run_worker(name: str, job: Path, folder: Path, plan: Plan) -> None:
    command = [sys.executable, str(WORKER), str(job)]
    try:
        process = subprocess.run(
            command,
            cwd=folder,
            env=environment(plan.threads),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SideError(f"{name} ran for more than {LONGEST_SECONDS} s") from None
    if process.returncode:
        said = [line for line in process.stderr.splitlines() if line.strip()]
        reason = said[-1].strip() if said else f"exit status {process.returncode}"
        raise SideError(f"{name} does not run: {reason}")


def _read_results(path: Path, number: int) -> list[Any]:
    import numpy

    with numpy.load(path, allow_pickle=False) as archive:
        return [archive[str(index)] for index in range(number)]


def require_same(pair: str, bad: Sample, good: Sample, tolerance: float) -> None:
    """Raise SideError where the two sides' results differ by more than `tolerance`."""
    import numpy

    if bad.structure != good.structure:
        raise SideError(f"{pair}: the two sides give results of different structure")
    for place, one, other in zip(bad.structure, bad.results, good.results, strict=True):
        where = f" at {place}" if place else ""
        if one.shape != other.shape:
            raise SideError(
                f"{pair}: the two sides give different shapes{where}: {one.shape}, {other.shape}"
            )
        if one.dtype.kind in "biufc" and other.dtype.kind in "biufc":
            same = numpy.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)
        else:
            same = bool((one == other).all())
        if not same:
            raise SideError(f"{pair}: the two sides give different results{where}")
