"""Settings, comments and options silence what `run` says as they do what `check` says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.dynamic.made import HOT, SCRIPT, diagnosis, script, trace_of

from deepperf.dynamic import closing
from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.report import Report, report_on
from deepperf.dynamic.wishes import Wishes
from deepperf.records import Level


def left(
    folder: Path, *told: Diagnosis, settings: str = "", wishes: Wishes | None = None
) -> Report:
    """What is shown of a run of `train.py` in which these things were seen."""
    (folder / "deepperf.toml").write_text(settings, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(closing, "diagnose_all", lambda _: told)
        return report_on(closing.closed(trace_of(folder / "train.py")), wishes or Wishes())


def lines(found: Report) -> list[str]:
    return [item.rule or item.signal for item in found.verdict.findings]


def of_signal(path: Path) -> Diagnosis:
    return diagnosis(path, signal="loader-wait", rule="", cause="improper-data-input")


@pytest.mark.parametrize(
    "settings",
    [
        'ignore = ["per-slice-op"]',
        'ignore = ["vectorization"]',
        'ignore = ["eager-ops"]',
        'ignore = ["missed-efficient-api"]',
        'ignore = ["all"]',
        'select = ["retracing"]',
        'select = ["loader-wait"]',
        'exclude = ["train.py"]',
        '[per-file-ignores]\n"train.py" = ["per-slice-op"]',
    ],
)
def test_settings_of_the_project_silence_a_finding(tmp_path: Path, settings: str) -> None:
    found = left(tmp_path, diagnosis(script(tmp_path)), settings=settings)
    assert lines(found) == []
    assert found.silenced == 1


@pytest.mark.parametrize(
    "settings",
    [
        "",
        'ignore = ["retracing"]',
        'select = ["per-slice-op"]',
        'select = ["vectorization"]',
        'select = ["eager-ops"]',
        'exclude = ["other.py"]',
        '[per-file-ignores]\n"other.py" = ["all"]',
    ],
)
def test_other_settings_leave_it(tmp_path: Path, settings: str) -> None:
    found = left(tmp_path, diagnosis(script(tmp_path)), settings=settings)
    assert lines(found) == ["per-slice-op"]
    assert found.silenced == 0


def test_what_only_a_run_sees_has_a_name_for_settings_too(tmp_path: Path) -> None:
    path = script(tmp_path)
    ignored = left(tmp_path, of_signal(path), settings='ignore = ["loader-wait"]')
    assert "loader-wait" not in lines(ignored)
    selected = left(tmp_path, of_signal(path), settings='select = ["loader-wait"]')
    assert lines(selected) == ["loader-wait"]
    assert lines(left(tmp_path, of_signal(path), settings='select = ["retracing"]')) == []


@pytest.mark.parametrize(
    ("comment", "silenced"),
    [
        ("  # deepperf: ignore[per-slice-op]", 1),
        ("  # deepperf: ignore[eager-ops]", 1),
        ("  # deepperf: ignore", 1),
        ("  # deepperf: ignore[retracing]", 0),
    ],
)
def test_a_comment_at_the_line_silences(tmp_path: Path, comment: str, silenced: int) -> None:
    text = SCRIPT.splitlines()
    text[HOT - 1] += comment
    found = left(tmp_path, diagnosis(script(tmp_path, "\n".join(text) + "\n")))
    assert found.silenced == silenced


def test_check_does_not_complain_of_the_names_that_only_a_run_knows(tmp_path: Path) -> None:
    script(tmp_path, "x = 1  # deepperf: ignore[loader-wait]\n")
    (tmp_path / "deepperf.toml").write_text('ignore = ["loader-wait"]', encoding="utf-8")
    command = [sys.executable, "-m", "deepperf", "check", "--level", "note", "--no-cache"]
    ran = subprocess.run([*command, "."], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "Nothing found in 1 file.\n")


def test_the_command_line_has_the_last_word(tmp_path: Path) -> None:
    path = script(tmp_path)
    wishes = Wishes(select=("per-slice-op",), level=Level.NOTE)
    found = left(tmp_path, diagnosis(path), settings='select = ["retracing"]', wishes=wishes)
    assert lines(found) == ["per-slice-op"]
    assert found.level is Level.NOTE
    assert left(tmp_path, diagnosis(path), settings='level = "error"').level is Level.ERROR


def test_a_finding_of_the_whole_run_can_be_ignored(tmp_path: Path) -> None:
    whole = diagnosis(script(tmp_path), file="", line=0)
    assert left(tmp_path, whole, settings='ignore = ["per-slice-op"]').silenced == 1


def test_what_a_test_loses_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "test_train.py"
    path.write_text(SCRIPT, encoding="utf-8")
    found = left(tmp_path, diagnosis(path), diagnosis(script(tmp_path)))
    assert [Path(item.file).name for item in found.verdict.notes] == ["test_train.py"]
    assert [Path(item.file).name for item in found.verdict.findings] == ["train.py"]


def test_wrong_settings_are_told_before_the_program_runs(tmp_path: Path) -> None:
    script(tmp_path, "print('ran')\n")
    assert "unknown key 'selekt'" in " ".join(left(tmp_path, settings="selekt = []").remarks)
    command = [sys.executable, "-m", "deepperf", "run"]
    for words, complaint in (
        (["train.py"], "unknown key 'selekt'; did you mean 'select'?"),
        (["--ignore", "nonsens", "train.py"], ""),
    ):
        ran = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 2
        assert (ran.stdout, ran.stderr.count("\n")) == ("", 1)
        assert complaint in ran.stderr
