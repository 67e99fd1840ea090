"""The text for assistants: every command in it works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.dynamic.made import SCRIPT

from deepperf.cli.main import main

FASTER = SCRIPT.replace("np.ones((4000, 8))", "np.ones((4000, 8)).repeat(5, axis=0)")


def told(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["mcp", "--skill"]) == 0
    return capsys.readouterr().out


def test_the_commands_of_the_skill_work_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = re.findall(r"^ +\$ deepperf (.+)$", told(capfd), re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(FASTER, encoding="utf-8")
    codes = {command: main(command.split()) for command in commands}
    said = capfd.readouterr().out + capfd.readouterr().err
    assert {command: code for command, code in codes.items() if code} == {
        "check train.py --level note --format json": 1,
    }, said


def test_the_skill_is_short_and_says_when_to_use_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys)
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    assert [line.partition(":")[0] for line in head.splitlines()] == ["name", "description"]
    assert len(body.splitlines()) < 80
