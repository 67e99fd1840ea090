"""Files are found as git and common sense would have it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deepperf.check.discover import discover
from deepperf.config.options import Options, WrongUse


def tree(root: Path, *paths: str) -> None:
    for path in paths:
        whole = root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text("x = 1\n", encoding="utf-8")


def names(root: Path, *starts: str, options: Options | None = None) -> list[str]:
    found = discover(root, [root / start for start in starts or ("",)], options or Options())
    return [entry.path for entry in found.files]


def test_python_files_and_notebooks_are_found_in_order(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/c.ipynb", "a/b.py", "readme.md", "a/stub.pyi", "script")

    assert names(tmp_path) == ["a/b.py", "a/c.ipynb", "b.py"]


def test_folders_that_hold_no_source_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", ".git/b.py", ".venv/c.py", "node_modules/d.py", "x/__pycache__/e.py")
    tree(tmp_path, "odd-name/pyvenv.cfg", "odd-name/lib/f.py")

    assert names(tmp_path) == ["a.py"]
    assert names(tmp_path, ".venv") == [".venv/c.py"]


def test_ignore_files_count_where_they_lie_and_inner_ones_win(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "build/b.py", "sub/c_gen.py", "sub/keep_gen.py", "sub/deep/c_gen.py")
    (tmp_path / ".gitignore").write_text("build/\n*_gen.py\n", encoding="utf-8")
    (tmp_path / "sub" / ".gitignore").write_text("!keep_gen.py\n", encoding="utf-8")

    assert names(tmp_path) == ["a.py", "sub/keep_gen.py"]
    assert names(tmp_path, "sub") == ["sub/keep_gen.py"]


def test_a_file_saved_from_an_ignored_folders_content_is_found(tmp_path: Path) -> None:
    tree(tmp_path, "data/a.py", "data/b.py", "data/deep/c.py", "build/a.py", "build/b.py")
    ignored = "/data/**\n!/data/a.py\nbuild/\n!build/a.py\n"
    (tmp_path / ".gitignore").write_text(ignored, encoding="utf-8")

    assert names(tmp_path) == ["data/a.py"]


def test_an_ignored_folder_given_by_name_is_walked(tmp_path: Path) -> None:
    tree(tmp_path, "build/a.py", "build/deep/b.py", "src/c.py")
    (tmp_path / ".gitignore").write_text("build/\n", encoding="utf-8")

    assert names(tmp_path, "build") == ["build/a.py", "build/deep/b.py"]
    assert names(tmp_path, "build/deep") == ["build/deep/b.py"]


def test_the_lock_of_an_editor_is_no_file_that_is_gone(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    (tmp_path / ".#a.py").symlink_to("ada@host.1234:5678")

    assert discover(tmp_path, [tmp_path], Options()).failures == ()


def test_a_file_given_by_name_is_taken_whatever_it_is_called(tmp_path: Path) -> None:
    tree(tmp_path, "script", "build/b.py")
    (tmp_path / ".gitignore").write_text("build/\n", encoding="utf-8")

    assert names(tmp_path, "script", "build/b.py") == ["build/b.py", "script"]


def test_excluded_paths_are_left_out_by_name_and_by_path(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "vendor/b.py", "x/vendor/c.py", "y/d.py", "y/e.py")

    assert names(tmp_path, options=Options(exclude=("vendor", "y/d.py"))) == ["a.py", "y/e.py"]
    assert names(tmp_path, "a.py", options=Options(exclude=("a.py",))) == []


@pytest.mark.parametrize(
    "pattern", ["sub/a.py", "./sub/a.py", "/sub/a.py", "**/a.py", "sub/**/a.py", "sub/**", "sub/"]
)
def test_patterns_may_be_written_as_for_git(tmp_path: Path, pattern: str) -> None:
    tree(tmp_path, "b.py", "sub/a.py")

    assert names(tmp_path, options=Options(exclude=(pattern,))) == ["b.py"]


def test_a_leading_slash_stands_for_the_root(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "sub/a.py")

    assert names(tmp_path, options=Options(exclude=("/a.py",))) == ["sub/a.py"]


def test_an_absolute_path_below_the_root_leaves_that_out(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "sub/a.py", "x/sub/a.py")
    options = Options(exclude=(str(tmp_path / "sub"),))

    assert names(tmp_path, options=options) == ["a.py", "x/sub/a.py"]


def test_included_patterns_are_taken_too(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "b.pyi", "bin/train")

    assert names(tmp_path, options=Options(include=("*.pyi", "bin/*"))) == [
        "a.py",
        "b.pyi",
        "bin/train",
    ]


def test_a_path_given_twice_is_found_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/b.py")

    assert names(tmp_path, "a", "a/b.py", "a") == ["a/b.py"]


def test_links_that_turn_in_circles_end(tmp_path: Path) -> None:
    tree(tmp_path, "a/b.py")
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "self").symlink_to("self")

    assert names(tmp_path) == ["a/b.py"]


def test_a_link_that_leads_nowhere_is_one_line(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    (tmp_path / "b.py").symlink_to("missing.py")
    found = discover(tmp_path, [tmp_path], Options())

    assert [entry.path for entry in found.files] == ["a.py"]
    assert [failure.location.path for failure in found.failures] == ["b.py"]
    assert "cannot be read: no such file" in found.failures[0].message


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"nowhere\.py: no such file"):
        names(tmp_path, "nowhere.py")


def test_a_folder_that_cannot_be_listed_is_one_line_and_the_rest_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, "a.py", "locked/b.py")
    listing = os.scandir

    def guarded(folder: str) -> Iterator[os.DirEntry[str]]:
        if folder.endswith("locked"):
            raise PermissionError(13, "Permission denied", folder)
        return listing(folder)

    monkeypatch.setattr(os, "scandir", guarded)  # a superuser may list every real folder
    found = discover(tmp_path, [tmp_path], Options())

    assert [entry.path for entry in found.files] == ["a.py"]
    (failure,) = found.failures
    assert failure.message == "cannot be listed: permission denied"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no such device")
def test_an_ignore_file_that_leads_to_a_device_is_not_read(tmp_path: Path) -> None:
    tree(tmp_path, "train.py")
    (tmp_path / ".gitignore").symlink_to("/dev/zero")

    assert [entry.path for entry in discover(tmp_path, [tmp_path], Options()).files] == ["train.py"]
