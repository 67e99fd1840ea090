"""`deepperf doctor` says what works here, and names no extra that there is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deepperf.cli.doctor import PARTS
from deepperf.cli.main import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def test_what_works_is_said_and_what_to_install_for_the_rest(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["doctor"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "check yes" in lines
    assert "settings defaults" in lines
    (tmp_path / "deepperf.toml").write_text("levle = 3\n", encoding="utf-8")
    assert main(["doctor"]) == 3
    assert "unknown key 'levle'" in capsys.readouterr().out


def test_every_extra_that_is_named_exists() -> None:
    data = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(data)["project"]["optional-dependencies"]
    assert {part.extra for part in PARTS} <= extras.keys()
