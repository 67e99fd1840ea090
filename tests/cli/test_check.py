"""`deepperf check` as it is run: exit codes, bad input, fixing."""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from tests.check.small_rules import BROKEN, SLOW, engine

from deepperf.check import paths
from deepperf.cli.main import main

IDLE = "x = 1  # deepperf: ignore[no-such-rule]\n"
"""A comment that does nothing: a note with a safe fix, whatever rules are installed."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "clean.py").write_text("import torch\n", encoding="utf-8")
    return tmp_path


def deepperf(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command line does, in this process: what a process adds is tested by itself."""
    collects = gc.isenabled()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        patch.chdir(folder)
        patch.setenv("COLUMNS", "100")
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
    out.flush()
    shown = out.buffer.getvalue().decode()
    if collects:
        gc.enable()  # a check does without
    return subprocess.CompletedProcess(arguments, code, shown, err.getvalue())


def deepperf_process(
    folder: Path, *arguments: str, stdin: bytes | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "deepperf", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_a_clean_project_exits_with_0(project: Path) -> None:
    done = deepperf_process(project, "check")

    assert (done.returncode, done.stdout, done.stderr) == (0, "Nothing found in 1 file.\n", "")


def test_findings_exit_with_1_unless_told_otherwise(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    done = deepperf_process(project, "check", "--level", "note")

    assert done.returncode == 1
    assert (
        "idle.py:1:8: note unused-suppression: no rule, topic or cause is called 'no-such-rule'"
        in done.stdout
    )
    assert deepperf_process(project, "check", "--level", "note", "--exit-zero").returncode == 0
    assert deepperf_process(project, "check").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "nowhere"], "deepperf: nowhere: no such file or folder"),
        (["check", "--select", ""], "--select '' names nothing"),
        (["check", "--ignore", " , "], "--ignore ' , ' names nothing"),
        (["check", "--select", "no-such-rule"], "unknown rule, topic or cause 'no-such-rule'"),
        (["check", "--framework-version", "tensorflow"], "write NAME=SPEC"),
        (["check", "--framework-version", "nonsense=1"], "names none of"),
        (["check", "--unsafe-fixes"], "use it with --fix or --diff"),
        (["check", "--fix", "--guard-rails"], "use it with --unsafe-fixes"),
        (["check", "--diff", "--format", "json"], "--diff is text: leave out --format json"),
        (["check", "--diff", "--statistics"], "--diff shows changes, --statistics counts"),
        (["check", "--output", "no/such.json"], "--output no/such.json: no such file"),
        (["check", "--output", "report"], "--output report: write FORMAT=FILE, or a name"),
        (["check", "--jobs", "many"], "'many' is not a number of processes"),
        (["check", "--level", "high"], "invalid choice: 'high'"),
        (["check", "--colour"], "unknown arguments: --colour"),
        (["check", "--ignor", "x"], "unknown arguments: --ignor; did you mean '--ignore'?"),
        (["chek"], "there is no command 'chek'; did you mean 'check'?"),
        (["clean.py"], "clean.py is no command; did you mean 'deepperf check clean.py'?"),
        (["frobnicate"], "there is no command 'frobnicate'; known are baseline, bench"),
        (["check", "-", "clean.py"], "cannot be combined"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what(
    project: Path, arguments: list[str], said: str
) -> None:
    done = deepperf(project, *arguments)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_gone_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert main(["check"]) == 2
    assert capsys.readouterr().err == "deepperf: the current folder is gone\n"


def test_a_path_that_is_missing_costs_a_line_and_the_others_are_checked(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    arguments = ("check", "nowhere", "idle.py", "--level", "note", "--format", "concise")
    rows = deepperf(project, *arguments).stdout.splitlines()

    assert rows[0] == "nowhere:1:1: not checked: no such file or folder"
    assert rows[1].startswith("idle.py:1:8: note unused-suppression")


def test_a_check_of_nothing_says_so(project: Path) -> None:
    (project / "empty").mkdir()

    assert deepperf(project, "check", "empty").stdout.startswith("Nothing to check")


def test_what_could_not_be_checked_exits_with_3_whatever_else_was_found(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    (project / "broken.py").write_text("import torch\nx = = 1\n", encoding="utf-8")

    assert deepperf(project, "check", "--level", "note").returncode == 3
    assert deepperf(project, "check", "--exit-zero").returncode == 3
    assert deepperf(project, "check", "idle.py", "--level", "note").returncode == 1
    assert deepperf(project, "check", "idle.py", "nowhere").returncode == 3


def test_a_rule_that_crashes_is_told_and_counted_and_decides_nothing_unless_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "Engine", lambda: engine(BROKEN, SLOW))
    monkeypatch.chdir(project)
    (project / "train.py").write_text("import torch\nslow(1)\n", encoding="utf-8")

    assert main(["check", "clean.py"]) == 0
    capsys.readouterr()
    assert main(["check"]) == 1
    told = capsys.readouterr().out
    assert "train.py:1:1: internal error: rule broken-rule crashed: ZeroDivisionError" in told
    assert "1 file not fully checked; 1 internal error" in told
    assert main(["check", "--format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["internal_errors"] == 1
    assert [failure["rule"] for failure in shown["failures"]] == ["broken-rule"]
    assert main(["check", "--exit-zero"]) == 0
    assert main(["check", "--strict"]) == main(["check", "--strict", "--exit-zero"]) == 3


def test_fix_says_in_a_line_where_it_refuses_to_write(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere.py"
    elsewhere.write_text(IDLE, encoding="utf-8")
    (project / "idle.py").symlink_to(elsewhere)
    done = deepperf(project, "check", "--fix", "--level", "note", "--format", "concise")

    assert done.returncode == 1
    said = f"idle.py:1:1: not fixed: a link leads from here to {elsewhere}, which was not asked for"
    assert done.stdout.splitlines()[0] == said
    assert elsewhere.read_text(encoding="utf-8") == IDLE


def test_wrong_use_leaves_the_last_output_alone(project: Path) -> None:
    last = project / "last.json"
    last.write_text("{}", encoding="utf-8")
    arguments = ("--output", "last.json")
    deepperf(project, "check", "--select", "no-such-rule", *arguments)

    assert last.read_text(encoding="utf-8") == "{}"

    deepperf(project, "check", *arguments)

    assert json.loads(last.read_text(encoding="utf-8"))["files"] == 1


def test_wrong_settings_exit_with_2_and_name_file_and_key(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.deepperf]\nselct = []\n", encoding="utf-8")
    done = deepperf(project, "check")

    assert done.returncode == 2
    assert "pyproject.toml: unknown key 'selct'; did you mean 'select'?" in done.stderr


def test_bad_files_cost_a_line_each_and_the_rest_is_checked(project: Path) -> None:
    (project / "broken.py").write_text("import torch\nx = = 1\n" + IDLE, encoding="utf-8")
    (project / "nulls.py").write_bytes(b"import torch\x00\x00\x00\x00" * 100)
    (project / "bad.ipynb").write_text("{torch", encoding="utf-8")
    (project / "gone.py").symlink_to("missing.py")
    done = deepperf_process(project, "check", "--format", "concise", "--level", "note")
    rows = done.stdout.splitlines()

    assert done.returncode == 3
    assert any(row.startswith("broken.py:2:") and "not checked" in row for row in rows)
    assert any(row.startswith("broken.py:3:8: note unused-suppression") for row in rows)
    for name in ("nulls.py", "bad.ipynb", "gone.py"):
        assert sum(row.startswith(f"{name}:") for row in rows) == 1, name
    assert "4 files not fully checked" in rows[-1]


def test_old_python_and_odd_encodings_are_read(project: Path) -> None:
    (project / "old.py").write_text("import torch\nprint 'x'\n", encoding="utf-8")
    (project / "latin.py").write_bytes(b"# coding: latin-1\nimport torch\ns = '\xe9'\n")
    (project / "crlf.py").write_bytes(b"\xef\xbb\xbfimport torch\r\nx = 1\r\n")

    assert deepperf(project, "check").stdout == "Nothing found in 4 files.\n"


def test_json_is_for_programs(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    arguments = ("check", "--format", "json", "--level", "note")
    done = deepperf(project, *arguments)
    shown = json.loads(done.stdout)

    assert [finding["rule"] for finding in shown["findings"]] == ["unused-suppression"]
    deepperf(project, "check", "--level", "note", "--output", "out.json")
    assert json.loads((project / "out.json").read_text(encoding="utf-8")) == shown


def test_diff_shows_and_fix_makes_the_change(project: Path) -> None:
    idle = project / "idle.py"
    idle.write_text(IDLE, encoding="utf-8")
    shown = deepperf(project, "check", "--diff", "--level", "note")

    assert shown.returncode == 1
    assert "-x = 1  # deepperf: ignore[no-such-rule]\n+x = 1\n" in shown.stdout
    assert idle.read_text(encoding="utf-8") == IDLE

    fixed = deepperf(project, "check", "--fix", "--level", "note")

    assert (fixed.returncode, fixed.stdout) == (0, "Nothing found in 2 files.\n")
    assert fixed.stderr == "fixed 1 finding in idle.py\n"
    assert idle.read_text(encoding="utf-8") == "x = 1\n"


def test_the_diff_of_a_notebook_is_one_of_the_file(project: Path) -> None:
    cell = {"cell_type": "code", "source": [IDLE], "metadata": {}, "outputs": []}
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = project / "idle.ipynb"
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    diff = deepperf(project, "check", "--diff", "--level", "note").stdout

    assert f"-    {json.dumps(IDLE)}\n" in diff
    assert '+    "x = 1\\n"\n' in diff


def test_a_diff_tells_of_bad_files_where_it_is_not_in_the_way(project: Path) -> None:
    (project / "broken.py").write_text("import torch\nx = = 1\n", encoding="utf-8")
    done = deepperf(project, "check", "--diff")

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("broken.py:2:")
    assert "not checked" in done.stderr


def test_a_diff_without_changes_says_what_is_there(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    done = deepperf(project, "check", "--diff")

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("No fix to make. Nothing found in")
    assert "1 hidden note: show with --level note" in done.stderr


def test_standard_input_is_checked_under_the_name_it_is_given(project: Path) -> None:
    name = "sub/new.py"
    done = deepperf_process(
        project, "check", "-", "--stdin-filename", name, "--level", "note", stdin=IDLE.encode()
    )

    assert done.returncode == 1
    assert done.stdout.startswith("sub/new.py:1:8: note unused-suppression")


def test_a_module_named_as_one_of_pythons_is_not_run(project: Path) -> None:
    for name in ("random", "typing", "json", "tempfile"):
        (project / f"{name}.py").write_text("raise SystemExit('ran')\n", encoding="utf-8")

    assert deepperf_process(project, "check").stdout == "Nothing found in 5 files.\n"


def test_a_script_without_an_ending_is_checked_when_named(project: Path) -> None:
    (project / "script").write_text(IDLE, encoding="utf-8")

    assert deepperf(project, "check", "script", "--level", "note").returncode == 1


def test_no_colour_and_no_progress_go_into_a_pipe(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    done = deepperf_process(project, "check", "--level", "note")

    assert "\x1b" not in done.stdout + done.stderr


def test_a_reader_that_leaves_early_is_no_crash(project: Path) -> None:
    (project / "idle.py").write_text(IDLE * 1500, encoding="utf-8")
    command = f"{sys.executable} -m deepperf check --level note | head -n 1"
    done = subprocess.run(command, shell=True, cwd=project, capture_output=True, text=True)

    assert done.stdout.startswith("idle.py:1:8")
    assert done.stderr == ""


def test_what_cannot_be_reached_is_named(project: Path) -> None:
    (project / "round").symlink_to("round")
    done = deepperf(project, "check", "round", "x" * 300)

    assert done.returncode == 2
    assert "deepperf: round: too many levels of symbolic links; xxx" in done.stderr
    assert "file name too long" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_output_that_cannot_be_written_costs_a_line(project: Path) -> None:
    for place in (">/dev/full", "--output json=/dev/full"):
        command = f"{sys.executable} -m deepperf check {place}"
        done = subprocess.run(command, shell=True, cwd=project, capture_output=True, text=True)

        assert done.returncode in (2, 3)
        assert "no space left on device" in done.stderr.lower()
        assert done.stderr.count("\n") == 1


def test_closed_streams_are_no_crash(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        command = f"{sys.executable} -m deepperf check --level note {closed}"
        done = subprocess.run(command, shell=True, cwd=project, capture_output=True, text=True)

        assert (done.returncode, done.stderr) == (1, "")


def test_a_project_is_brought_in_with_a_baseline(project: Path) -> None:
    old = project / "old.py"
    old.write_text(IDLE, encoding="utf-8")
    made = deepperf(project, "baseline")
    assert made.returncode == 0
    assert made.stdout.startswith("1 finding written to deepperf-baseline.json; check with")

    (project / "deepperf.toml").write_text('level = "note"\nbaseline = "deepperf-baseline.json"\n')
    done = deepperf(project, "check")
    assert (done.returncode, done.stdout) == (0, "Nothing found in 2 files; 1 known before.\n")

    old.write_text(f"y = 2\n{IDLE}z = 3  # deepperf: ignore[no-other]\n", encoding="utf-8")
    done = deepperf(project, "check", "--format", "concise")
    rows = done.stdout.splitlines()
    assert done.returncode == 1
    assert rows[0].startswith("old.py:3:8: note unused-suppression")
    assert rows[1].startswith("1 finding in 1 of 2 files; 1 known before")


def test_only_what_is_grave_enough_fails_a_check(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    shown = ("check", "--level", "note", "--fail-on")

    assert deepperf(project, *shown, "warning").returncode == 0
    assert deepperf(project, *shown, "note").returncode == 1
    (project / "deepperf.toml").write_text('level = "note"\nfail-on = "error"\n')
    assert deepperf(project, "check").returncode == 0


def test_several_reports_are_written_at_once(project: Path) -> None:
    (project / "idle.py").write_text(IDLE, encoding="utf-8")
    files = ("--output", "a.sarif", "--output", "b.xml", "--output", "gitlab=c.json")
    done = deepperf(project, "check", "--level", "note", "--format", "github", *files)

    assert done.stdout.startswith("::notice file=idle.py,line=1,")
    assert json.loads((project / "a.sarif").read_text())["version"] == "2.1.0"
    assert (project / "b.xml").read_text().startswith("<?xml")
    assert json.loads((project / "c.json").read_text())[0]["check_name"] == "unused-suppression"


def test_what_changed_since_a_revision_is_told(project: Path) -> None:
    porcelain = pytest.importorskip("dulwich.porcelain")
    path = project / "idle.py"
    path.write_text(IDLE, encoding="utf-8")
    porcelain.init(project).close()
    porcelain.add(project, [str(path)])
    porcelain.commit(project, b"first", author=b"a <a@b.c>", committer=b"a <a@b.c>")
    path.write_text(f"{IDLE}y = 1  # deepperf: ignore[no-other]\n", encoding="utf-8")
    done = deepperf(project, "check", "--level", "note", "--format", "concise", "--since", "HEAD")

    assert [row.partition(" ")[0] for row in done.stdout.splitlines()[:-1]] == ["idle.py:2:8:"]
    assert deepperf(project, "check", "--since", "v9").returncode == 2
