"""The command line finds its verbs and starts fast."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import deepperf
from deepperf.cli.main import main, verbs


def test_the_version_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deepperf", "--version"], capture_output=True, text=True
    )

    assert (done.returncode, done.stdout) == (0, f"deepperf {deepperf.__version__}\n")


def test_telling_the_version_imports_nothing_else() -> None:
    code = (
        "import sys; from deepperf.cli.main import main; main(['--version']); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    modules = set(done.stdout.split())

    assert not modules & {"argparse", "ast", "rich", "dataclasses", "deepperf.records"}


def test_importing_the_package_costs_nothing_until_a_name_is_used() -> None:
    code = "import sys, deepperf; print(*sys.modules); deepperf.check_text; deepperf.Report"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.returncode == 0
    assert "deepperf.records" not in done.stdout.split()


def test_every_file_beside_main_is_a_verb(capsys: pytest.CaptureFixture[str]) -> None:
    files = {path.stem for path in Path(deepperf.__file__).with_name("cli").glob("*.py")}

    assert {verb.replace("-", "_") for verb in verbs()} == files - {"__init__", "main"}
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert all(verb in shown for verb in verbs())


def test_without_a_verb_the_help_is_shown_and_it_is_wrong_use(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 2
    shown = capsys.readouterr().out
    assert all(verb in shown for verb in verbs())


def test_an_attribute_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = deepperf.no_such_name


@pytest.mark.parametrize(
    "words",
    [
        ["dev", "docs"],
        ["dev", "demo-run"],
        ["dev", "demo-prove"],
        ["dev", "fuzz", "--count", "1"],
        ["scan", "fetch"],
        ["scan", "run"],
        ["scan", "table"],
        ["scan", "watch"],
        ["scan", "fixed", "clones"],
        ["scan", "standing", "hits"],
        ["bench", "problems"],
        ["bench", "assess"],
    ],
)
def test_verbs_that_need_the_repository_say_so_in_one_line(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(words) == 2
    said = capsys.readouterr().err
    assert "deepperf's repository" in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())
