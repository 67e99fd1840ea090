"""What is found does not hang on the seed by which Python orders sets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "tests" / "programs" / "mixed").iterdir())[:12]
OPTIONS = ("--no-cache", "--jobs", "1", "--preview", "--level", "note", "--format", "json")


def found(seed: str) -> bytes:
    paths = [ROOT / "demo", *PROGRAMS]
    command = [sys.executable, "-m", "deepperf", "check", *OPTIONS, "--exit-zero", *paths]
    environment = os.environ | {"PYTHONHASHSEED": seed}
    return subprocess.run(command, env=environment, capture_output=True, check=True).stdout


def test_two_seeds_give_the_same_report() -> None:
    first = found("1")
    assert b'"rule"' in first
    assert found("3") == first
