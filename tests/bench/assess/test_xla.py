"""What is measured of XLA: here of a program that it has no part in."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.small_problem import changed, written

from deepperf.bench.assess import xla
from deepperf.bench.assess.approach import Setting
from deepperf.bench.launch import in_fresh_process
from deepperf.bench.problems import read_problem


def test_a_program_that_cannot_run_twice_runs_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path)
    once = "    assert not squares\n    total = "
    changed(folder / "buggy.py", "    return sum(", f"{once}sum(")
    changed(folder / "buggy.py", "  # finding", "  # finding\n    return total + 0 * wait(500_000)")
    changed(folder / "buggy.py", "squares = []", "squares = []\nwait = lambda n: sum(range(n))")
    monkeypatch.setattr(xla, "imports", lambda *_: True)
    ((_, raw),) = xla.ask([read_problem(folder)], Setting(in_fresh_process, 1))
    assert "error" not in raw
    assert raw["beside_fixed"][0] > raw["fixed"][0]
    assert raw["beside_xla"][0] > 0
