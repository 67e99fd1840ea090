"""Where settings come from can be said and asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deepperf.cli.main import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

IDLE = "x = 1  # deepperf: ignore[no-such-rule]\n"
"""A comment that does nothing: a note, whatever rules are installed."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "deepperf.toml").write_text('level = "note"\n', encoding="utf-8")
    (tmp_path / "requirements.txt").write_text("torch==2.4.0\n", encoding="utf-8")
    (tmp_path / "idle.py").write_text(IDLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_isolated_ignores_every_file_with_settings(project: Path) -> None:
    assert main(["check"]) == 1
    assert main(["check", "--isolated"]) == 0

    (project / "deepperf.toml").write_text("no TOML", encoding="utf-8")
    assert main(["check"]) == 2
    assert main(["check", "--isolated"]) == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("strict.toml", 'level = "warning"\n'),
        ("pyproject.toml", '[tool.deepperf]\nlevel = "warning"\n'),
    ],
)
def test_the_settings_of_a_named_file_count_and_no_others(
    project: Path, tmp_path_factory: pytest.TempPathFactory, name: str, text: str
) -> None:
    chosen = tmp_path_factory.mktemp("settings") / name
    chosen.write_text(text, encoding="utf-8")

    assert main(["check"]) == 1
    assert main(["check", "--config", str(chosen)]) == 0
    assert main(["check", "--config", str(chosen), "--level", "note"]) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "no such file"),
        ("[tool.other]\n", "has no table [tool.deepperf]"),
        ('[tool.deepperf]\nlevel = "high"\n', "level must be"),
    ],
)
def test_a_named_file_without_good_settings_is_wrong_use(
    project: Path, capsys: pytest.CaptureFixture[str], text: str | None, said: str
) -> None:
    if text is not None:
        (project / "pyproject.toml").write_text(text, encoding="utf-8")

    assert main(["check", "--config", "pyproject.toml"]) == 2
    assert said in capsys.readouterr().err.lower()


def test_what_holds_is_shown_as_toml_with_its_source(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "show"]) == 0
    shown = capsys.readouterr().out

    assert tomllib.loads(shown)["level"] == "note"
    assert f'level = "note"  # {project / "deepperf.toml"}\n' in shown
    assert "jobs = 0  # default\n" in shown
    assert "# torch: torch==2.4.0 (requirements.txt)\n" in shown
    assert f"# project: {project}\n" in shown

    assert main(["config", "show", "--isolated"]) == 0
    assert 'level = "warning"  # default\n' in capsys.readouterr().out


def test_the_help_of_check_names_every_key(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    shown = capsys.readouterr().out

    assert "framework-versions  versions to check for" in shown
    assert "per-file-ignores" in shown
