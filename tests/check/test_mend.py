"""Fixes reach the disk whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.check.small_rules import ODD, SLOW, engine, find_slow, loaded, slow

from deepperf.check.engine import Engine
from deepperf.check.fresh import sources_of
from deepperf.check.mend import Mended, mend_tree, write_mended
from deepperf.check.paths import check_tree, starts
from deepperf.records import Attempt, Failure, Finding, Safety
from deepperf.rules.rule import on_call
from deepperf.semantics.view import Call

RULES = engine(SLOW, ODD)


def mended(
    root: Path, safety: Safety = Safety.SAFE, rules: Engine = RULES
) -> list[Mended | Failure]:
    (start,) = starts([root], lambda options: options)
    return list(mend_tree(start, check_tree(start, rules), sources_of(start), safety, rules))


def fix(root: Path, safety: Safety = Safety.SAFE) -> list[Failure | None]:
    results = mended(root, safety)
    return [write_mended(str(root), one) for one in results if isinstance(one, Mended)]


def write(root: Path, content: bytes, name: str = "train.py") -> Path:
    (root / "setup.py").write_text("", encoding="utf-8")
    path = root / name
    path.write_bytes(content)
    return path


def test_safe_fixes_are_made_and_unsafe_ones_on_request(tmp_path: Path) -> None:
    path = write(tmp_path, b"import torch\nslow(slow(1))\nodd(2)\n")

    assert fix(tmp_path) == [None]
    assert path.read_bytes() == b"import torch\nfast(fast(1))\nodd(2)\n"
    assert fix(tmp_path, Safety.UNSAFE) == [None]
    assert path.read_bytes() == b"import torch\nfast(fast(1))\neven(2)\n"
    assert fix(tmp_path, Safety.UNSAFE) == []


def test_the_fix_of_a_finding_in_another_file_is_not_made_in_this_one(tmp_path: Path) -> None:
    @on_call()
    def find_elsewhere(call: Call) -> Iterator[Finding]:
        for finding in find_slow(call):
            yield replace(finding, location=replace(finding.location, path="other.py"))

    path = write(tmp_path, SLOW_CODE)

    assert mended(tmp_path, rules=engine(loaded(slow, find_elsewhere))) == []
    assert path.read_bytes() == SLOW_CODE


def test_encoding_mark_line_ends_and_mode_are_kept(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\r\nimport torch\r\ns = 'é'; slow(s)\r\n"
    path = write(tmp_path, text.encode("latin-1"))
    path.chmod(0o751)

    assert fix(tmp_path) == [None]
    assert path.read_bytes() == text.replace("slow", "fast").encode("latin-1")
    assert path.stat().st_mode & 0o777 == 0o751
    assert sorted(p.name for p in tmp_path.iterdir()) == ["setup.py", "train.py"]


def test_a_file_behind_a_link_is_fixed_and_the_link_stays(tmp_path: Path) -> None:
    real = write(tmp_path, b"import torch\nslow(1)\n", name="real.txt")
    (tmp_path / "train.py").symlink_to("real.txt")

    assert fix(tmp_path) == [None]
    assert real.read_bytes() == b"import torch\nfast(1)\n"
    assert (tmp_path / "train.py").is_symlink()


SLOW_CODE = b"import torch\nslow(1)\n"


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "mine.py").write_bytes(SLOW_CODE)
    return folder


def refused(asked: Path) -> bool:
    """Whether fixing what was asked for ends in one line that says why nothing was written."""
    (one,) = mended(asked)
    return (
        isinstance(one, Failure)
        and one.attempt is Attempt.FIX
        and one.message.startswith("a link leads from here to ")
        and one.message.endswith(", which was not asked for")
    )


def test_nothing_is_written_through_a_link_that_leads_out_of_the_project(
    tmp_path: Path, elsewhere: Path
) -> None:
    write(tmp_path, b"")
    (tmp_path / "steps.py").symlink_to(elsewhere / "mine.py")

    assert refused(tmp_path)
    assert refused(tmp_path / "steps.py")
    assert (elsewhere / "mine.py").read_bytes() == SLOW_CODE


@pytest.mark.parametrize("mark", ["nothing", "setup.py"])
def test_nothing_is_written_through_a_folder_of_the_project_that_is_a_link(
    tmp_path: Path, elsewhere: Path, mark: str
) -> None:
    write(tmp_path, b"")
    (elsewhere / mark).touch()
    (tmp_path / "src").symlink_to(elsewhere, target_is_directory=True)

    assert refused(tmp_path / "src")
    assert refused(tmp_path / "src" / "mine.py")
    assert (elsewhere / "mine.py").read_bytes() == SLOW_CODE


def test_nothing_is_written_outside_the_given_folder_of_a_project(tmp_path: Path) -> None:
    real = write(tmp_path, SLOW_CODE)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "again.py").symlink_to("../train.py")

    assert refused(tmp_path / "sub")
    assert real.read_bytes() == SLOW_CODE


def test_a_project_that_is_reached_by_the_users_own_link_is_fixed(
    tmp_path: Path, elsewhere: Path
) -> None:
    (elsewhere / "setup.py").touch()
    (tmp_path / "project").symlink_to(elsewhere, target_is_directory=True)

    (one,) = mended(tmp_path / "project")

    assert isinstance(one, Mended)
    assert write_mended(str(tmp_path / "project"), one) is None
    assert (elsewhere / "mine.py").read_bytes() == SLOW_CODE.replace(b"slow", b"fast")


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path, b"import torch\nslow(1)\n")
    (one,) = mended(tmp_path)
    assert isinstance(one, Mended)
    path.write_bytes(b"mine\n")
    failure = write_mended(str(tmp_path), one)

    assert failure is not None
    assert "it changed while it was being checked" in failure.message
    assert path.read_bytes() == b"mine\n"


def test_a_notebook_is_fixed_in_its_cell_and_nothing_else_moves(tmp_path: Path) -> None:
    notebook = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["slow(1)"]},
            {
                "cell_type": "code",
                "execution_count": 3,
                "metadata": {},
                "outputs": [{"output_type": "stream", "name": "stdout", "text": ["slow(2)"]}],
                "source": ["%matplotlib inline\n", "import torch\n", "slow(3)"],
            },
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["slow(4)\n", "x = 1"]},
        ],
        "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = json.dumps(notebook, indent=1) + "\n"
    path = write(tmp_path, text.encode(), name="train.ipynb")

    assert fix(tmp_path) == [None]
    assert path.read_text(encoding="utf-8") == text.replace("slow(3)", "fast(3)").replace(
        "slow(4)", "fast(4)"
    )
