"""The metadata nearest to a file say which framework versions count for it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.check.small_rules import engine as engine_of
from tests.check.small_rules import loaded, slow

from deepperf.check.fresh import check_bytes
from deepperf.check.paths import check_tree, starts
from deepperf.config.options import Options
from deepperf.records import Finding
from deepperf.rules.rule import on_call
from deepperf.semantics.view import Call

TRAIN = "import tensorflow as tf\nslow(1)\n"


@on_call()
def find_old(call: Call) -> Iterator[Finding]:
    if call.file.precedes("tensorflow", "2.0"):
        yield slow.finding(call, "old", "")


ENGINE = engine_of(loaded(slow, find_old))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / "requirements.txt", "tensorflow==2.4\n")
    write(tmp_path / "train.py", TRAIN)
    write(tmp_path / "old/requirements.txt", "tensorflow==1.15\n")
    write(tmp_path / "old/train.py", TRAIN)
    write(tmp_path / "old/deeper/train.py", TRAIN)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def old_files(path: Path, options: Options | None = None) -> list[str]:
    """The files, by the names seen from the project, for which only TensorFlow 1 counts."""
    (start,) = starts([path], lambda found: options or found)
    tree = check_tree(start, ENGINE)
    return [report.path for report in tree.reports if report.findings]


def test_a_folder_with_metadata_of_its_own_has_versions_of_its_own(project: Path) -> None:
    assert old_files(project) == ["old/deeper/train.py", "old/train.py"]


def test_the_nearest_folder_that_names_a_version_decides(project: Path) -> None:
    write(project / "old/deeper/requirements.txt", "tensorflow>=2\n")
    write(project / "old/deeper/still/requirements.txt", "tensorflow\ntorch==1.9\n")
    write(project / "old/deeper/still/train.py", TRAIN)

    assert old_files(project) == ["old/train.py"]


def test_a_folder_of_requirements_speaks_for_what_lies_around_it(project: Path) -> None:
    write(project / "gpu/requirements/base.txt", "tensorflow==1.14\n")
    write(project / "gpu/train.py", TRAIN)

    assert "gpu/train.py" in old_files(project)


def test_metadata_of_an_example_count_for_the_example(project: Path) -> None:
    write(project / "examples/a/environment.yml", "dependencies:\n  - tensorflow=1.13\n")
    write(project / "examples/a/train.py", TRAIN)

    assert "examples/a/train.py" in old_files(project)


def test_an_option_counts_for_every_folder(project: Path) -> None:
    options = Options(framework_versions={"tensorflow": "2.5"})

    assert old_files(project, options) == []


def test_a_remembered_run_sees_that_metadata_have_changed(project: Path) -> None:
    for path in (*project.rglob("*"), project):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert old_files(project) == old_files(project) == ["old/deeper/train.py", "old/train.py"]

    write(project / "old/requirements.txt", "tensorflow==2.15\n")

    assert old_files(project) == []


def test_a_remembered_run_sees_that_metadata_were_added_or_taken_away(project: Path) -> None:
    write(project / "new/train.py", TRAIN)
    for path in (*project.rglob("*"), project):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert "new/train.py" not in old_files(project)

    write(project / "new/requirements.txt", "tensorflow<2\n")
    (project / "old/requirements.txt").unlink()

    assert old_files(project) == ["new/train.py"]


def test_a_part_of_a_project_is_judged_like_the_whole(project: Path) -> None:
    write(project / "old/requirements.txt", "numpy\n")
    write(project / "problems/one/constraints.txt", "tensorflow==1.15\n")
    write(project / "problems/one/train.py", TRAIN)

    assert old_files(project / "problems") == ["problems/one/train.py"]
    assert old_files(project / "problems/one/train.py") == ["problems/one/train.py"]


def test_without_a_marked_root_the_metadata_on_the_way_count(tmp_path: Path) -> None:
    write(tmp_path / "package/__init__.py", "")
    write(tmp_path / "package/environment.yml", "dependencies:\n  - tensorflow=1.13\n")
    write(tmp_path / "package/part/__init__.py", "")
    write(tmp_path / "package/part/train.py", TRAIN)

    assert old_files(tmp_path / "package/part/train.py") == ["package/part/train.py"]
    assert old_files(tmp_path / "package/part") == ["package/part/train.py"]


def test_content_that_stands_for_a_file_is_judged_by_the_metadata_beside_it(
    project: Path,
) -> None:
    name = str(project / "old/new.py")
    report, _ = check_bytes(TRAIN.encode(), name, lambda found: found, ENGINE)

    assert [finding.message for finding in report.findings] == ["old"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_windows_shells_write_is_read(project: Path, encoding: str) -> None:
    (project / "requirements.txt").write_bytes("tensorflow==1.15\r\n".encode(encoding))

    assert "train.py" in old_files(project)


def notebook_of(*cells: str) -> str:
    code = [{"cell_type": "code", "metadata": {}, "source": cell} for cell in cells]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


@pytest.mark.parametrize(
    "command",
    [
        "!pip install -q pandas tensorflow==1.15.2",
        "%pip install 'tensorflow-gpu<2'",
        "%tensorflow_version 1.x",
    ],
)
def test_what_a_notebook_installs_counts_for_it(command: str, tmp_path: Path) -> None:
    write(tmp_path / "digits.ipynb", notebook_of(command, TRAIN))
    write(tmp_path / "train.py", TRAIN)
    assert old_files(tmp_path) == ["digits.ipynb"]


def test_metadata_count_before_what_a_notebook_installs(project: Path) -> None:
    write(project / "digits.ipynb", notebook_of("!pip install tensorflow==1.15", TRAIN))
    assert "digits.ipynb" not in old_files(project)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("setup.py", "install_requires = ['tensorflow']  # tested with tensorflow 1.15.2\n"),
        ("setup.py", "# tensorflow-gpu==1.14 is needed\n"),
        (".github/workflows/test.yml", "steps:\n  - run: pip install tensorflow==1.15 pytest\n"),
        (".gitlab-ci.yml", "image: tensorflow/tensorflow:1.15.2-gpu-py3\n"),
        ("docker/Dockerfile", "FROM tensorflow/tensorflow:1.15.0\n"),
        ("Dockerfile.gpu", "FROM ubuntu\nRUN pip install tensorflow==1.14\n"),
        ("README.md", "# Digits\n\n    pip install tensorflow-gpu==1.13.1\n"),
    ],
)
def test_other_files_that_name_a_version_count(path: str, text: str, tmp_path: Path) -> None:
    write(tmp_path / "train.py", TRAIN)
    write(tmp_path / path, text)
    (tmp_path / ".git").mkdir()

    assert old_files(tmp_path) == ["train.py"]


@pytest.mark.parametrize(
    "text",
    [
        "setup()  # for tensorflow 1.15 or newer\n",
        "setup()  # needs tensorflow 1.15+\n",
        "setup(install_requires=['tensorflow>=2'])  # no longer tensorflow 1.15\n",
    ],
)
def test_comments_that_admit_newer_versions_do_not(text: str, tmp_path: Path) -> None:
    write(tmp_path / "train.py", TRAIN)
    write(tmp_path / "setup.py", text)

    assert old_files(tmp_path) == []


def test_metadata_count_before_a_readme_and_continuous_integration(project: Path) -> None:
    write(project / "README.md", "pip install tensorflow==1.15\n")
    write(project / ".github/workflows/test.yml", "run: pip install tensorflow==1.15\n")

    assert "train.py" not in old_files(project)


def test_metadata_behind_a_link_do_not_count(project: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere.txt", "tensorflow==1.15\n")
    (project / "requirements.txt").unlink()
    (project / "requirements.txt").symlink_to(tmp_path / "elsewhere.txt")

    assert "train.py" not in old_files(project)


def test_a_remembered_run_sees_that_a_neighbour_has_become_older(project: Path) -> None:
    (project / "requirements.txt").unlink()
    write(project / "model.py", "import tensorflow as tf\n")
    for path in (*project.rglob("*"), project):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert "train.py" not in old_files(project)

    write(project / "model.py", "import tensorflow as tf\ntf.placeholder(tf.float32)\n")

    assert "train.py" in old_files(project)


OWN = """\
# /// script
# requires-python = "==3.7.*"
# dependencies = [
#   "tensorflow==1.15",
# ]
"""


def test_a_script_has_the_versions_of_its_own_block(project: Path) -> None:
    write(project / "score.py", f"#!/usr/bin/env python\n{OWN}# ///\n{TRAIN}")
    write(project / "notes.py", f"{OWN}{TRAIN}")

    assert old_files(project) == ["old/deeper/train.py", "old/train.py", "score.py"]


def test_a_script_that_names_a_new_version_does_not_run_on_that_of_its_folder(
    project: Path,
) -> None:
    write(project / "old/train.py", f"{OWN.replace('1.15', '2.4')}# ///\n{TRAIN}")

    assert old_files(project) == ["old/deeper/train.py"]


def test_an_option_decides_over_a_script(project: Path) -> None:
    write(project / "score.py", f"{OWN}# ///\n{TRAIN}")

    options = Options(framework_versions={"tensorflow": "2.5"})

    assert old_files(project, options) == []
