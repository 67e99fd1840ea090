"""What is told since a revision: changed lines, and what changes elsewhere caused."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.check.small_rules import SLOW, engine, loaded

from deepperf.check.engine import Engine
from deepperf.check.paths import check_tree, starts
from deepperf.check.since import since
from deepperf.config.options import Options, WrongUse
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, on_call
from deepperf.semantics.view import Call

porcelain = pytest.importorskip("dulwich.porcelain")

TRAIN = "import tensorflow as tf\n\nslow(1)\nx = 1\nslow(2)\n"
far = Rule(
    module="deepperf.rules.loops.far_call.rule",
    cause="inefficient-api-use",
    symptoms=("slow-training",),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow",),
)


@on_call()
def find_far(call: Call) -> Iterator[Finding]:
    """A call of what is slow in another file."""
    if call.source.startswith("helper("):
        project = call._analysis.project
        if "SLOW = True" in project.sources["helper.py"].text:
            yield far.finding(call, "the helper is slow", "")


FAR = loaded(far, find_far)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    porcelain.init(tmp_path).close()
    commit(tmp_path)
    return tmp_path


def commit(folder: Path) -> None:
    porcelain.add(folder, [str(path) for path in folder.rglob("*") if ".git" not in path.parts])
    porcelain.commit(folder, b"a change", author=b"a <a@b.c>", committer=b"a <a@b.c>")


def told(folder: Path, revision: str = "HEAD", how: Engine | None = None) -> list[tuple[str, int]]:
    how = how or engine(SLOW)
    (start,) = starts([folder], lambda _: Options(cache=False))
    tree = since(start, check_tree(start, how), revision, how)
    return [
        (finding.location.path, finding.location.line)
        for report in tree.reports
        for finding in report.findings
    ]


def test_without_a_change_nothing_is_told(project: Path) -> None:
    assert told(project) == []


def test_only_changed_lines_are_told(project: Path) -> None:
    (project / "train.py").write_text("# new\n" + TRAIN.replace("slow(2)", "slow(3)"))

    assert told(project) == [("train.py", 6)]


def test_a_line_that_is_only_reformatted_is_a_changed_line(project: Path) -> None:
    (project / "train.py").write_text(TRAIN.replace("slow(2)", "slow( 2 )"))

    assert told(project) == [("train.py", 5)]


def test_a_new_file_is_told_whole_and_a_moved_one_is_not(project: Path) -> None:
    (project / "sub").mkdir()
    (project / "train.py").rename(project / "sub" / "train.py")
    (project / "other.py").write_text(TRAIN.replace("slow(1)", "slow(9)"))

    assert told(project) == [("other.py", 3), ("other.py", 5)]


def test_what_a_change_elsewhere_caused_is_told_where_it_shows(project: Path) -> None:
    (project / "use.py").write_text("import tensorflow\nfrom helper import helper\nhelper(1)\n")
    (project / "helper.py").write_text("def helper(x): pass\n")
    commit(project)
    assert told(project, how=engine(FAR)) == []

    (project / "helper.py").write_text("def helper(x): pass\nSLOW = True\n")
    assert told(project, how=engine(FAR)) == [("use.py", 3)]


def test_changes_of_others_since_a_branch_was_left_do_not_count(project: Path) -> None:
    porcelain.branch_create(project, "mine")
    (project / "train.py").write_text(TRAIN.replace("slow(1)", "slow(8)"))
    commit(project)
    upstream = porcelain.active_branch(project).decode()
    porcelain.checkout(project, "mine", force=True)
    (project / "train.py").write_text(TRAIN.replace("slow(2)", "slow(3)"))

    assert told(project, upstream) == [("train.py", 5)]


def test_a_cell_of_a_notebook_is_compared_line_by_line(project: Path) -> None:
    def notebook(*cells: str) -> str:
        made = [{"cell_type": "code", "source": c, "metadata": {}, "outputs": []} for c in cells]
        return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    path = project / "a.ipynb"
    path.write_text(notebook("import tensorflow\nslow(1)\n", "x = 1\nslow(2)\n"))
    commit(project)
    path.write_text(notebook("import tensorflow\nslow(1)\n", "x = 2\nslow(3)\n"))

    assert told(project) == [("a.ipynb", 2)]


@pytest.mark.parametrize("revision", ["HEAD~1", "v1", "master~1"])
def test_revisions_are_named_as_git_names_them(project: Path, revision: str) -> None:
    porcelain.tag_create(project, "v1")
    (project / "train.py").write_text(TRAIN + "slow(4)\n")
    commit(project)

    assert told(project, revision) == [("train.py", 6)]


def test_before_the_first_commit_all_is_new(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    porcelain.init(tmp_path).close()

    assert told(tmp_path) == [("train.py", 3), ("train.py", 5)]


def test_wrong_revisions_and_folders_without_history_are_told(project: Path) -> None:
    with pytest.raises(WrongUse, match="holds no such revision"):
        told(project, "nonsense")
    lonely = project.parent / "lonely"
    lonely.mkdir()
    (lonely / "pyproject.toml").write_text("")
    with pytest.raises(WrongUse, match="is in no git repository"):
        told(lonely)


@pytest.mark.skipif(os.name == "nt", reason="a program is a script here")
def test_no_program_that_the_repository_names_is_started(project: Path) -> None:
    trap = project.parent / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {project.parent}/sprung\n")
    trap.chmod(0o755)
    with (project / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n\teditor = {trap}\n")
        config.write(
            f'[filter "x"]\n\tclean = {trap}\n\tsmudge = {trap}\n[diff]\n\texternal = {trap}\n'
        )
    (project / ".gitattributes").write_text("*.py filter=x diff=x\n")
    (project / "train.py").write_text(TRAIN + "slow(4)\n")

    assert told(project) == [("train.py", 6)]
    assert not (project.parent / "sprung").exists()
