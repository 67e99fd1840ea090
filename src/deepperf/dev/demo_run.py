"""Runs the demo under `deepperf run`, and keeps the screen that it ends with."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from deepperf.config.options import WrongUse

RECORD = Path("docs") / "demo-run.txt"
WORDS = ("-m", "tidewatch.train", "--epochs", "20")
QUIET = {"COLUMNS": "96", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}


def record_demo_run(root: Path) -> str:
    """The command, what it printed at its end, and on what it ran. Raises `WrongUse`."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.txt"
        command = [sys.executable, "-m", "deepperf", "run", "--report", str(report), *WORDS]
        done = subprocess.run(
            command,
            cwd=root / "demo",
            env={**os.environ, **QUIET},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not report.exists():
            raise WrongUse(f"the demo did not run: {done.stderr.strip().splitlines()[-1:]}")
        said = report.read_text(encoding="utf-8")
    return f"$ cd demo && deepperf run {' '.join(WORDS)}\n{said.rstrip()}\n\n{_provenance()}\n"


def _provenance() -> str:
    from importlib.metadata import version

    from deepperf.bench.machine import this_machine

    here = this_machine()
    used = ", ".join(f"{name} {version(name)}" for name in ("tensorflow-cpu", "keras", "torch"))
    today = datetime.datetime.now(tz=datetime.timezone.utc).date()
    return f"({today}, {here.cpu}, {here.cores} cores, {used})"
