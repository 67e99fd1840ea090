"""Warnings name the lines of the program that they name when nobody watches."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from tests.dynamic.watched import needs

from deepperf.dynamic.recording.unseen import Lines, standing_for


def here() -> int:
    return sys._getframe(1).f_lineno


def library(value: int) -> int:
    warnings.warn("it is old", DeprecationWarning, stacklevel=2)
    return value


@standing_for(library)
def watched(value: int) -> int:
    return library(value)


def test_a_warning_names_the_line_that_called_the_wrapper() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        line, _ = here(), watched(1)
    assert [(item.filename, item.lineno) for item in told] == [(__file__, line)]
    assert watched.__name__ == "library"


def test_a_warning_about_the_innermost_line_names_the_one_that_is_stood_in_for() -> None:
    lines, line = Lines(), 0
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _number in range(2):
            # What C code warns of is told of the innermost frame, as at level 1.
            line, _ = here(), lines.call(sys._getframe(), warnings.warn, ("now", None, 1), {})
    assert [(item.filename, item.lineno) for item in told] == [(__file__, line)] * 2


TORCH = """
import torch

x = torch.ones(3)
for _ in range(2):
    torch.tensor(x)
torch.tensor(x)
torch.nn.functional.softmax(x)
x.T
"""


def test_what_torch_warns_of_is_told_as_without_us(tmp_path: Path) -> None:
    needs("torch")
    (tmp_path / "program.py").write_text(TORCH, encoding="utf-8")

    def told(*words: str) -> Any:
        ran = subprocess.run(
            [sys.executable, *words, "program.py"],
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=170,
        )
        return [
            line.replace(str(tmp_path) + os.sep, "").partition("Warning:")[0]
            for line in ran.stderr.splitlines()
            if "Warning:" in line
        ]

    alone = told()
    assert [line.rpartition(":")[0] for line in alone] == [
        "program.py:6",
        "program.py:7",
        "program.py:8",
        "program.py:9",
    ]
    assert told("-m", "deepperf", "run") == alone
