"""Runs the demo under `deepperf run` and `prove`, and keeps the screens for the documents."""

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
PROOF = Path("docs") / "demo-prove.txt"
WORDS = ("-m", "tidewatch.train", "--epochs", "20")
TRAINING = ("python", "-m", "tidewatch.train", "--only", "torch", "--epochs", "5")
NAMES = (
    "debug-left-on",
    "missing-no-grad",
    "tensor-from-array-list",
    "loop-invariant-op",
    "compiled-per-call",
    "autocast",
)
"""What is tried: the last but one gains nothing, since training the PyTorch model alone does not
run it; the last changes results."""
BUDGET = "30m"
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
    _keep(root / SCREEN, f"run {' '.join(WORDS)}", said)


def record_demo_proof(root: Path) -> None:
    """Write the command, what it printed before its patch, and on what it ran.

    Raises `WrongUse` where the demo does not run.
    """
    words = ("--budget", BUDGET, "--only", ",".join(NAMES), "--", *TRAINING)
    with tempfile.TemporaryDirectory() as folder:
        patch = ("--patch", os.path.join(folder, "faster.patch"))
        said = _deepperf(["prove", *patch, *words], root / "demo")
    _keep(root / PROOF, f"prove --patch faster.patch {' '.join(words)}", said)


def _keep(path: Path, command: str, said: str) -> None:
    shown = f"$ cd demo && deepperf {command}\n{said.rstrip()}\n\n{_provenance()}\n"
    path.write_text(shown, encoding="utf-8")


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
