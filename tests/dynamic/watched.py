"""Programs as text, run under `deepperf run`; the lines a diagnosis belongs to are marked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def diagnoses(folder: Path, text: str, signal: str) -> list[dict[str, Any]]:
    """What one signal says of a program, findings and notes alike: shares vary with the machine."""
    report = report_on(folder, text)
    assert report["run"]["problems"] == []
    return told_by(report, signal)


def told_by(report: dict[str, Any], signal: str) -> list[dict[str, Any]]:
    """What one signal says in a report."""
    return [item for item in report["findings"] + report["notes"] if item["signal"] == signal]


def report_on(folder: Path, text: str) -> dict[str, Any]:
    """The report on a program that comes to its end."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "deepperf", "run", "--format", "json", path.name],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert ran.returncode == 0, ran.stderr
    report: dict[str, Any] = json.loads(ran.stderr[ran.stderr.index("{\n") :])
    return report


def marked(text: str, mark: str) -> list[int]:
    """The lines, from 1, that end in a comment that is this word."""
    lines = text.splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}")]


def lines_of(found: list[dict[str, Any]], rule: str) -> list[int]:
    """The lines at which a rule's smell was seen."""
    return sorted(item["line"] for item in found if item["rule"] == rule)
