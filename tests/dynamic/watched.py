"""Programs as text, run under `deepperf run`; the lines a diagnosis belongs to are marked.

What a run left is kept in `recordings/`, by the text of its program, and told of again: what is
said of a run is tested in a moment, and rests on no time. `nox -s watched` runs the programs.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deepperf.dynamic.closing import closed
from deepperf.dynamic.recorded import read_recording
from deepperf.dynamic.report import report_on as report_of
from deepperf.dynamic.report.json import document
from deepperf.dynamic.wishes import Wishes

RECORDINGS = Path(__file__).parent / "recordings"
WATCH = "DEEPPERF_WATCH"
"""Set in the environment, the programs run: to `keep`, what they leave replaces the recordings."""
HERE, PYTHON = "<folder>", "<python>"
"""What stands in recordings for where a program ran and what ran it."""


def needs(framework: str) -> None:
    """Leaves out the tests of the module where a framework is not installed.

    It is not imported: only the programs need it, and of most of them there is a recording.
    """
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed", allow_module_level=True)


def diagnoses(folder: Path, text: str, signal: str) -> list[dict[str, Any]]:
    """What one signal says of a program, findings and notes alike: shares vary with the machine."""
    report = report_on(folder, text)
    assert report["run"]["problems"] == []
    return told_by(report, signal)


def told_by(report: dict[str, Any], signal: str) -> list[dict[str, Any]]:
    """What one signal says in a report."""
    return [item for item in report["findings"] + report["notes"] if item["signal"] == signal]


def report_on(folder: Path, text: str) -> dict[str, Any]:
    """The report on a program that comes to its end, of its recording unless it is to run."""
    (folder / "program.py").write_text(text, encoding="utf-8")
    kept = RECORDINGS / f"{digest_of(folder)}.dperf"
    wish = os.environ.get(WATCH)
    if wish is None and kept.exists():
        # Shown where the test fails.
        print(kept.name)
        return _told_again(folder, kept)
    left = folder / "run.dperf"
    report = report_live(folder, text, "--record", left.name)
    if wish == "keep":
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(kept_form(left.read_bytes(), folder))
    left.unlink()
    return report


def report_on_device(folder: Path, text: str) -> dict[str, Any]:
    """The report on a program that was recorded once, on a machine with a CUDA device."""
    (folder / "program.py").write_text(text, encoding="utf-8")
    return _told_again(folder, RECORDINGS / f"{digest_of(folder)}.dperf")


def report_live(folder: Path, text: str, *options: str) -> dict[str, Any]:
    """The report on a program that runs now, whatever was recorded of it."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "deepperf", "run", *options, "--format", "json", path.name],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert ran.returncode == 0, ran.stderr
    report: dict[str, Any] = json.loads(ran.stderr[ran.stderr.index("{\n") :])
    return report


def digest_of(folder: Path) -> str:
    """What tells a program from others: its text, that of its modules, and its settings."""
    found = hashlib.sha256()
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
        found.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _told_again(folder: Path, kept: Path) -> dict[str, Any]:
    moved = folder / "run.dperf"
    moved.write_bytes(_moved(kept.read_bytes(), {HERE: str(folder), PYTHON: sys.executable}))
    first, *others = read_recording(moved).processes
    moved.unlink()
    # It was there before it ran.
    os.utime(folder / "program.py", (0, 0))
    report = report_of(closed(first, (), others), Wishes())
    told: dict[str, Any] = json.loads(json.dumps(document(report)))
    return told


def kept_form(packed: bytes, folder: Path) -> bytes:
    """What a program left that ran in a folder, as it is kept in `recordings/`."""
    return _moved(packed, {str(folder): HERE, sys.executable: PYTHON})


def _moved(packed: bytes, names: dict[str, str]) -> bytes:
    """A recording without what was said of the run, in which a path stands for another."""
    data = json.loads(gzip.decompress(packed))
    text = json.dumps({**data, "told": None}, separators=(",", ":"))
    for name, other in names.items():
        text = text.replace(json.dumps(name)[1:-1], json.dumps(other)[1:-1])
    return gzip.compress(text.encode(), mtime=0)


def marked(text: str, mark: str) -> list[int]:
    """The lines, from 1, that end in a comment that is this word."""
    lines = text.splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}")]


def lines_of(found: list[dict[str, Any]], rule: str) -> list[int]:
    """The lines at which a rule's smell was seen."""
    return sorted(item["line"] for item in found if item["rule"] == rule)
