"""Runs a program in a process of its own, and says what that cost and what came out."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deepperf.bench.machine import environment
from deepperf.bench.workloads.workload import WRITTEN, Problem, Workload, WorkloadError

Results = Mapping[str, float]
TIMED = Path(__file__).with_name("timed.py")
LONGEST_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Trial:
    """What one process took: seconds of CPU time with its children, of the clock, and bytes.

    Importing the framework does not count.
    """

    cpu: float
    seconds: float
    peak: int
    results: Results


def run_program(program: Path, framework: str, words: Sequence[str] = ()) -> Trial:
    """Run `program` in its folder; its last line is the results, as JSON. Raises WorkloadError."""
    with tempfile.TemporaryDirectory(prefix="deepperf-") as folder:
        cost = Path(folder) / "cost.json"
        try:
            done = subprocess.run(
                [sys.executable, str(TIMED), framework, str(cost), program.name, *words],
                cwd=program.parent,
                env=environment(1),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LONGEST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise WorkloadError(f"{program.name} ran too long") from None
        lines, said = done.stdout.splitlines(), done.stderr.splitlines()
        if done.returncode or not lines or not cost.exists():
            reason = said[-1] if said else "printed nothing"
            raise WorkloadError(f"{program.name}: status {done.returncode}: {reason}")
        return Trial(
            **json.loads(cost.read_text(encoding="utf-8")), results=json.loads(lines[-1])
        )


def differences(one: Results, other: Results, tolerance: float) -> tuple[str, ...]:
    """Where results are not the same within `tolerance`, relative and absolute."""
    if one.keys() != other.keys():
        return (f"{sorted(one)} and {sorted(other)}",)
    return tuple(
        f"{name}: {one[name]} and {other[name]}"
        for name in one
        if not math.isclose(one[name], other[name], rel_tol=tolerance, abs_tol=tolerance)
    )


@contextmanager
def copied(program: Path) -> Iterator[Path]:
    """Gives a copy of `program` alone in a folder, as a project of its own."""
    with tempfile.TemporaryDirectory(prefix="deepperf-") as folder:
        (Path(folder) / "requirements.txt").touch()
        yield Path(shutil.copy(program, folder))


@contextmanager
def patched(workload: Workload, problems: Sequence[Problem]) -> Iterator[Path]:
    """Gives a copy of the written program in which `problems` are mended. Raises WorkloadError.

    Each patch applies alone; of patches that are neighbours, one may have changed the lines
    around the other, so that context does not count.
    """
    with copied(workload.folder / WRITTEN) as program:
        for problem in problems:
            done = subprocess.run(
                ["git", "apply", "-C0", str(problem.patch.resolve())],
                cwd=program.parent,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise WorkloadError(f"{workload.name}: {problem.name}: {done.stderr.strip()}")
        yield program
