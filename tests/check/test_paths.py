"""Folders are checked, remembered, and checked again where something changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.check.small_rules import BROKEN, ODD, SLOW, engine
from tests.check.test_discover import tree

from deepperf.check import fresh
from deepperf.check.engine import Engine
from deepperf.check.paths import Tree, check_paths, check_tree, starts
from deepperf.check.run import Checked, check_file
from deepperf.config.options import Options, WrongUse
from deepperf.records import Report

TRAIN = "import tensorflow as tf\nslow(1)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    tree(tmp_path, "pyproject.toml", "plain.py")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are checked rather than remembered, in the order of checking."""
    seen: list[str] = []

    def spy(project: object, path: str, *others: object) -> Checked:
        seen.append(path)
        return check_file(project, path, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(fresh, "check_file", spy)
    return seen


def check(project: Path, how: Engine | None = None, options: Options | None = None) -> Tree:
    (start,) = starts([project], lambda found: options or found)
    return check_tree(start, how or engine(SLOW, ODD))


def found(result: Tree) -> list[tuple[str, int, str]]:
    return [
        (finding.location.path, finding.location.line, finding.rule)
        for report in result.reports
        for finding in report.findings
    ]


def age(*paths: Path) -> None:
    """Make files look as if they had been written some time ago."""
    for path in paths:
        os.utime(path, (1_000_000_000, 1_000_000_000))


def test_every_file_has_a_report(project: Path) -> None:
    result = check(project)

    assert [report.path for report in result.reports] == ["plain.py", "train.py"]
    assert found(result) == [("train.py", 2, "slow-call")]


def test_nothing_is_checked_again_when_nothing_changed(project: Path, checked: list[str]) -> None:
    age(*project.iterdir())
    first = check(project)
    checked.clear()

    assert check(project) == first
    assert checked == []


def test_a_changed_file_is_checked_again_though_its_size_and_age_are_the_same(
    project: Path, checked: list[str]
) -> None:
    check(project)
    (project / "train.py").write_text(TRAIN.replace("slow", "odd_"), encoding="utf-8")
    checked.clear()

    assert found(check(project)) == []
    assert checked == ["train.py"]


def test_a_file_that_was_only_touched_is_not_checked_again(
    project: Path, checked: list[str]
) -> None:
    check(project)
    age(project / "train.py")
    checked.clear()

    assert found(check(project)) == [("train.py", 2, "slow-call")]
    assert checked == []


def test_a_new_file_is_found_and_all_is_checked_again(project: Path, checked: list[str]) -> None:
    age(*project.iterdir())
    check(project)
    (project / "more.py").write_text("import torch\nodd(1)\n", encoding="utf-8")
    checked.clear()

    assert ("more.py", 2, "odd-call") in found(check(project))
    assert sorted(checked) == ["more.py", "train.py"]


def test_other_rules_or_options_ask_anew(project: Path, checked: list[str]) -> None:
    check(project)
    checked.clear()

    check(project, engine(SLOW, ODD, stamp="two"))
    check(project, options=Options(select=("odd-call",)))

    assert checked == ["train.py", "train.py"]


@pytest.mark.parametrize("junk", ["", "{", "[]", '{"name": 1}', "\x00\xff", "null"])
def test_a_cache_that_is_damaged_is_as_good_as_none(project: Path, junk: str) -> None:
    first = check(project)
    for path in (project / ".deepperf_cache").glob("*.json"):
        path.write_text(junk, encoding="latin-1")

    assert check(project) == first


def test_nonsense_of_the_right_shape_in_a_cache_is_checked_again(project: Path) -> None:
    age(*project.iterdir())
    first = check(project)
    for path in (project / ".deepperf_cache").glob("*.json"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"slow-call"', "7, 7, [9]"), encoding="utf-8")

    assert found(check(project)) == found(first)


def test_the_cache_keeps_out_of_git(project: Path) -> None:
    check(project)

    assert (project / ".deepperf_cache" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_where_no_cache_can_be_kept_the_check_goes_on(project: Path) -> None:
    (project / ".deepperf_cache").write_text("in the way", encoding="utf-8")

    assert found(check(project)) == [("train.py", 2, "slow-call")]


def test_crashes_are_not_remembered(project: Path, checked: list[str]) -> None:
    age(*project.iterdir())
    check(project, engine(BROKEN))
    checked.clear()
    check(project, engine(BROKEN))

    assert checked == ["train.py"]


def test_the_number_of_processes_makes_no_difference(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("", encoding="utf-8")
    for number in range(230):
        text = "import torch\n" + "slow(1)\nodd(2)\n" * (number % 3)
        (tmp_path / f"m{number}.py").write_text(text, encoding="utf-8")
    serial = check(tmp_path, options=Options(jobs=1, cache=False))
    parallel = check(tmp_path, options=Options(jobs=3, cache=False))

    assert [r.path for r in parallel.reports] == [r.path for r in serial.reports]
    assert found(parallel) == found(serial)
    assert len(found(serial)) > 400


def test_rules_ignored_for_some_files_are_silent_there(project: Path) -> None:
    options = Options(per_file_ignores={"train*": ("slow-call",)}, cache=False)

    assert found(check(project, options=options)) == []


def test_a_file_checked_by_itself_knows_its_project(project: Path) -> None:
    (start,) = starts([project / "train.py"], lambda options: options)

    assert fresh.sources_of(start).keys() >= {"plain.py", "train.py"}


GENERATED = "# Generated by make_ops.py. DO NOT EDIT!\n" + TRAIN


def test_a_generated_file_is_left_out_unless_it_is_named(project: Path) -> None:
    made = project / "ops.py"
    made.write_text(GENERATED, encoding="utf-8")
    age(*project.iterdir(), project)

    for _ in ("afresh", "remembered"):
        whole = {report.path: report for report in check(project).reports}
        assert whole["ops.py"].left_out
        assert not whole["ops.py"].findings
        assert whole["train.py"].findings
        assert not whole["train.py"].left_out
        assert found(check(made)) == [("ops.py", 3, "slow-call")]


def test_a_file_that_becomes_generated_is_left_out(project: Path) -> None:
    made = project / "ops.py"
    made.write_text(TRAIN, encoding="utf-8")
    assert ("ops.py", 2, "slow-call") in found(check(project))

    made.write_text(GENERATED, encoding="utf-8")

    assert "ops.py" not in {path for path, _, _ in found(check(project))}


def test_what_a_generated_file_does_counts_for_those_that_call_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "ops.py").write_text(
        "# @generated\nimport numpy as np\ndef inverted(a):\n    return np.linalg.inv(a)\n",
        encoding="utf-8",
    )
    (tmp_path / "train.py").write_text(
        "import numpy as np\nfrom ops import inverted\n"
        "def train(batches, kernel):\n"
        "    whole = np.asarray(kernel)\n"
        "    for batch in batches:\n"
        "        print(batch @ inverted(whole))\n",
        encoding="utf-8",
    )

    reports = check_paths([tmp_path], Options(select=("loop-invariant-op",), cache=False))

    (finding,) = (finding for report in reports for finding in report.findings)
    assert (finding.location.line, Path(finding.location.path).name) == (6, "train.py")


def test_reports_name_paths_as_the_user_sees_them(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def paths(where: Path, *given: str | Path) -> list[str]:
        monkeypatch.chdir(where)
        return [report.path for report in check_paths(given, Options(cache=False))]

    tree(project, "pkg/a.py", "other/b.py")
    here = project.as_posix()

    assert paths(project, "pkg") == ["pkg/a.py"]
    assert paths(project.parent, project / "pkg") == [f"{project.name}/pkg/a.py"]
    assert paths(project / "pkg", ".") == ["a.py"]
    assert paths(project / "pkg", project) == [
        f"{here}/other/b.py",
        f"{here}/plain.py",
        f"{here}/train.py",
        "a.py",
    ]


def test_a_file_of_two_projects_is_reported_once(project: Path) -> None:
    tree(project, "inner/setup.py", "inner/a.py")
    reports = check_paths([project, project / "inner"], Options(cache=False))

    assert all(isinstance(report, Report) for report in reports)
    assert len({report.path for report in reports}) == len(reports) == 4


def reported(monkeypatch: pytest.MonkeyPatch, project: Path, *paths: str) -> list[str]:
    monkeypatch.chdir(project)
    return [report.path for report in check_paths(paths)]


def test_a_file_and_links_to_it_are_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "again.py").symlink_to("train.py")
    (project / "sub").mkdir()
    (project / "sub" / "again.py").symlink_to("../again.py")

    assert reported(monkeypatch, project, ".") == ["plain.py", "train.py"]
    assert reported(monkeypatch, project, "sub") == ["sub/again.py"]


def test_a_file_that_only_links_lead_to_is_reported_by_the_first(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path_factory.mktemp("elsewhere") / "steps.py"
    real.write_text(TRAIN, encoding="utf-8")
    (project / "b.py").symlink_to(real)
    (project / "a.py").symlink_to(real)

    assert reported(monkeypatch, project, ".") == ["a.py", "plain.py", "train.py"]


def test_a_link_that_is_named_stands_for_its_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "again.py").symlink_to("train.py")

    assert reported(monkeypatch, project, ".", "again.py") == ["again.py", "plain.py"]
    assert reported(monkeypatch, project, "again.py", "train.py") == ["again.py"]
    assert reported(monkeypatch, project, "train.py", "again.py") == ["train.py"]


def test_of_a_folder_and_a_link_to_it_the_one_given_first_counts(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(project, "sub/a.py")
    (project / "link").symlink_to("sub", target_is_directory=True)

    assert reported(monkeypatch, project, "sub", "link") == ["sub/a.py"]
    assert reported(monkeypatch, project, "link", "sub") == ["link/a.py"]
    assert reported(monkeypatch, project, "link") == ["link/a.py"]


def test_what_is_imported_by_a_link_is_known(project: Path) -> None:
    tree(project, "a.py", "pkg/a.py")
    (project / "pkg" / "shared.py").symlink_to("../train.py")
    (start,) = starts([project], lambda found: found)

    assert "pkg/shared.py" in fresh.sources_of(start)
    assert "pkg/shared.py" not in {report.path for report in check(project).reports}


def test_a_path_that_does_not_exist_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="nowhere: no such file or folder"):
        check_paths(["nowhere"])
