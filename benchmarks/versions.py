"""Runs programs and pairs about compiled code with other versions of the frameworks.

    python -m benchmarks.versions --with jax=/tmp/old/bin/python --output FILE

Each `--with` names a framework and a Python that has a version of it. The programs of
`benchmarks/compiled/` are held beside `check`, which is told the version; the pairs of the rules
in `rules/tracing` run once on each side, where a workload counts something.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.compilers import compared, differences, programs, seen, told
from deepperf.bench.collect import plan_of
from deepperf.bench.launch import LONGEST_SECONDS, WORKER, Launch, Outcome, Start
from deepperf.bench.machine import environment
from deepperf.bench.measure import SideError, run_side
from deepperf.records import Pair
from deepperf.rules.page import read_page
from deepperf.rules.registry import find_rules

TOPIC = "tracing"


def pairs(framework: str) -> Iterator[Pair]:
    """The pairs of rules about compiled code that count something in a framework."""
    for files in find_rules():
        if files.topic == TOPIC:
            for pair in read_page(files.page).pairs:
                if pair.framework == framework and plan_of(pair).counts:
                    yield pair


def started_by(python: str) -> Start:
    """A start in a process of another Python."""

    def start(launch: Launch) -> Outcome:
        ran = subprocess.run(
            [python, str(WORKER), str(launch.job)],
            cwd=launch.folder,
            env=environment(launch.threads) | dict(launch.variables),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_SECONDS,
            check=False,
        )
        return Outcome(ran.returncode, ran.stderr)

    return start


def counted(pair: Pair, start: Start) -> dict[str, Any]:
    """What both sides of a pair count, or the line that says why one did not run."""
    plan = plan_of(pair)
    found: dict[str, Any] = {"pair": pair.id, "quantity": plan.quantity}
    for side in ("bad", "good"):
        try:
            found[side] = run_side(side, pair, plan, start).value
        except SideError as error:
            found["error"] = str(error).splitlines()[-1][:200]
    return found


def measured(framework: str, python: str) -> dict[str, Any]:
    """The programs and the pairs of a framework, with the version that a Python has of it."""
    run = seen(framework, programs(framework), python)
    truth, said = run["programs"], told(framework, run["version"])
    start = started_by(python)
    return {
        "version": run["version"],
        "programs": len(truth),
        **compared(truth, said),
        "differences": [*differences(truth, said)],
        "pairs": [counted(pair, start) for pair in pairs(framework)],
    }


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--with", action="append", default=[], dest="pythons", metavar="NAME=PYTHON"
    )
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args(words)
    chosen = [one.split("=", 1) for one in given.pythons]
    found = [{"framework": name, **measured(name, python)} for name, python in chosen]
    report = {"date": f"{datetime.now(tz=timezone.utc):%Y-%m-%d}", "runs": found}
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for one in found:
        print(one["framework"], one["version"], one["breaks"], one["again"])
        print("", *one["differences"], *one["pairs"], sep="\n  ")


if __name__ == "__main__":
    main()
