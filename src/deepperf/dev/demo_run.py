"""Runs the demo under `deepperf run`, and keeps the screen that it ends with, and the page."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deepperf.config.options import WrongUse
from deepperf.dev.browser import picture

SCREEN = Path("docs") / "demo-run.txt"
PICTURE = Path("docs") / "demo-run.png"
WORDS = ("-m", "tidewatch.train", "--epochs", "20")
QUIET = {"COLUMNS": "100", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
WIDTH = 900
"""Pixels of the picture: a README is not shown wider."""


def record_demo_run(root: Path) -> None:
    """Write the command, what it printed at its end and on what it ran, and a picture.

    Raises `WrongUse` where the demo does not run or there is no browser.
    """
    demo = root / "demo"
    with tempfile.TemporaryDirectory() as folder:
        trace, page = Path(folder) / "run.dperf", Path(folder) / "report.html"
        _deepperf(["run", "--record", str(trace), *WORDS], demo)
        said = _deepperf(["report", str(trace)], demo)
        _deepperf(["report", str(trace), "--format", "html", "--output", str(page)], demo)
        picture(page, root / PICTURE, WIDTH)
    shown = f"$ cd demo && deepperf run {' '.join(WORDS)}\n{said.rstrip()}\n\n{_provenance()}\n"
    (root / SCREEN).write_text(shown, encoding="utf-8")


def _deepperf(words: Sequence[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "deepperf", *words],
        cwd=folder,
        env={**os.environ, **QUIET},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WrongUse(f"the demo did not run: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout


def _provenance() -> str:
    from importlib.metadata import version

    from deepperf.bench.machine import this_machine

    here = this_machine()
    used = ", ".join(f"{name} {version(name)}" for name in ("tensorflow-cpu", "keras", "torch"))
    today = datetime.datetime.now(tz=datetime.timezone.utc).date()
    return f"({today}, {here.cpu}, {here.cores} cores, {used})"
