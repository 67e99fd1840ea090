"""What is found does not hang on the seed by which Python orders sets."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

MIXED = Path(__file__).parents[1] / "programs" / "mixed"
PROGRAMS = 30
OPTIONS = ("--no-cache", "--jobs", "1", "--preview", "--level", "note", "--format", "json")


def found(folder: Path, seed: str) -> bytes:
    command = (sys.executable, "-m", "deepperf", "check", *OPTIONS, "--exit-zero", ".")
    environment = os.environ | {"PYTHONHASHSEED": seed}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    return ended.stdout


def test_two_seeds_give_the_same_report(tmp_path: Path) -> None:
    for program in sorted(MIXED.glob("*.py"))[:PROGRAMS]:
        shutil.copy(program, tmp_path)
    first = found(tmp_path, "1")
    assert first.count(b'"fingerprint"') > PROGRAMS // 2
    assert found(tmp_path, "3") == first
