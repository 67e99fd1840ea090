"""Runs both sides of a pair, in turn or side by side, each time in a fresh process."""

from __future__ import annotations

import datetime
import json
import os
import platform
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepperf.bench.collect import Plan, plan_of
from deepperf.bench.compare import compare
from deepperf.bench.launch import LONGEST_SECONDS, Launch, Start, TookTooLong, in_fresh_process
from deepperf.records import Pair
from deepperf.rules.evidence import Machine, Measurement, digest


class SideError(Exception):
    """A side that did not run to its end, or gave another result, in one line that names it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one process cost, in the plan's unit, and what it returned."""

    value: float
    versions: dict[str, str]
    structure: list[str]
    results: list[Any]


Round = Callable[[Pair, Plan, int, Callable[[], None]], tuple[Sample, Sample]]


def measure(
    pair: Pair,
    repetitions: int,
    machine: Machine,
    after_process: Callable[[], None],
    run_round: Round | None = None,
) -> Measurement:
    """Measure `pair` in `repetitions` processes per side; `after_process` is told of each.

    `run_round` runs both sides once, `in_turn` unless something else is wanted. Raises
    WorkloadError for a workload that asks for what there is not, and SideError.
    """
    plan = plan_of(pair)
    bad: list[Sample] = []
    good: list[Sample] = []
    for number in range(repetitions):
        one, other = (run_round or in_turn)(pair, plan, number, after_process)
        require_same(pair.id, one, other, plan.tolerance)
        bad.append(one)
        good.append(other)
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


def in_turn(
    pair: Pair,
    plan: Plan,
    _: int,
    after_process: Callable[[], None],
    start: Start = in_fresh_process,
) -> tuple[Sample, Sample]:
    """Both sides once, the bad one first, each in a process of its own. Raises SideError."""
    bad = run_side("bad", pair, plan, start)
    after_process()
    good = run_side("good", pair, plan, start)
    after_process()
    return bad, good


def side_by_side(start: Start) -> Round:
    """A round that runs both sides at the same time, so that they see the same noise.

    Each side has a core of its own, and the sides change places in each round. A pair whose
    threads are not limited to one needs the cores for itself, and so runs in turn.
    """

    def run_round(
        pair: Pair, plan: Plan, number: int, after_process: Callable[[], None]
    ) -> tuple[Sample, Sample]:
        cores = usable_cores()
        if plan.threads != 1 or len(cores) < 2:
            return in_turn(pair, plan, number, after_process, start)
        places = {"bad": cores[number % 2], "good": cores[1 - number % 2]}
        with ThreadPoolExecutor(2) as pool:
            running = {
                side: pool.submit(run_side, side, pair, plan, start, core)
                for side, core in places.items()
            }
            samples = {side: run.result() for side, run in running.items()}
        after_process()
        after_process()
        return samples["bad"], samples["good"]

    return run_round


def usable_cores() -> list[int]:
    """The cores this process may use, none where a process cannot be bound to one."""
    # Only Linux can bind a process to a core.
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def run_side(
    side: str, pair: Pair, plan: Plan, start: Start = in_fresh_process, core: int | None = None
) -> Sample:
    """Run one side once, "bad" or "good", on one core or on all. Raises SideError."""
    name = f"{pair.id}: the {side} side"
    files = pair.bad if side == "bad" else pair.good
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
            "core": core,
        }
        job_file = folder / "job.json"
        job_file.write_text(json.dumps(job), encoding="utf-8")
        launch = Launch(job_file, sources, pair.framework, plan.threads, core)
        try:
            outcome = start(launch)
        except TookTooLong:
            raise SideError(f"{name} ran for more than {LONGEST_SECONDS} s") from None
        if outcome.status:
            said = [line for line in outcome.errors.splitlines() if line.strip()]
            reason = said[-1].strip() if said else f"exit status {outcome.status}"
            raise SideError(f"{name} does not run: {reason}")
        out = json.loads((folder / "out.json").read_text(encoding="utf-8"))
        results = _read_results(folder / "results.npz", len(out["structure"]))
    return Sample(out["value"], out["versions"], out["structure"], results)


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
