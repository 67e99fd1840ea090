from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from dulwich.repo import Repo
from tests.scan.test_fetch import finder, index_with

from deepperf.config.options import WrongUse
from deepperf.scan.package import Form, State
from deepperf.scan.sources.archives import archives
from deepperf.scan.sources.folders import clones, installed
from deepperf.scan.sources.index import index, releases
from deepperf.scan.task import scan


def test_each_folder_of_clones_is_a_package_at_its_commit(tmp_path: Path) -> None:
    clone = tmp_path / "someone+flowers"
    clone.mkdir()
    (clone / "train.py").write_text("import jax\n")
    with Repo.init(str(clone)) as repository:
        commit = repository.get_worktree().commit(
            message=b"begin", committer=b"a <a@b>", author=b"a <a@b>"
        )
    (tmp_path / "plain").mkdir()
    (tmp_path / "odd" / ".git").mkdir(parents=True)
    (tmp_path / "odd" / ".git" / "HEAD").write_text("no such thing")
    (tmp_path / "file.py").write_text("")
    (tmp_path / "link").symlink_to(clone)

    found = list(clones([tmp_path]))

    assert [(one.name, one.version, one.size) for one in found] == [
        ("odd", "", 0),
        ("plain", "", 0),
        ("someone/flowers", commit.decode(), 11),
    ]


def test_what_is_installed_is_a_package_with_its_metadata(tmp_path: Path) -> None:
    (tmp_path / "flowers").mkdir()
    (tmp_path / "flowers" / "train.py").write_text("import torch\n")
    (tmp_path / "other.py").write_text("import torch\n")
    about = tmp_path / "flowers-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: flowers\nVersion: 1.0\nRequires-Dist: torch>=2\n")
    (about / "RECORD").write_text(
        "flowers/train.py,,\nflowers-1.0.dist-info/METADATA,,\n../../bin/flowers,,\n"
    )

    (package,) = installed(tmp_path)

    assert (package.name, package.version, package.size) == ("flowers", "1.0", 13)
    scanned = scan(package, lambda _: ())
    assert (scanned.tree.files, scanned.tree.frameworks) == (1, ("torch",))


def test_a_list_of_archives_names_paths_and_perhaps_names(tmp_path: Path) -> None:
    for name in ("a.zip", "b-1.0.tar.gz"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("top/train.py", "import jax\n")
    listing = tmp_path / "list.txt"
    listing.write_text("a.zip owner/a abc123  # a comment\n\nb-1.0.tar.gz\n")

    first, second = archives(listing)

    assert (first.name, first.version, first.form) == ("owner/a", "abc123", Form.ARCHIVE)
    assert second.name == "b-1.0"
    assert scan(first, lambda _: ()).tree.files == 1


@pytest.mark.parametrize("line", ["nowhere.zip", "list.txt", "a b c d"])
def test_a_line_that_names_no_archive_is_told(tmp_path: Path, line: str) -> None:
    listing = tmp_path / "list.txt"
    listing.write_text(f"# archives\n{line}\n")
    with pytest.raises(WrongUse, match=r"list\.txt:2: no archive here"):
        list(archives(listing))


def test_a_release_is_downloaded_once_and_none_of_it_is_run(tmp_path: Path) -> None:
    witness = tmp_path / "it-ran"
    shelf, _ = index_with(tmp_path, f"open({str(witness)!r}, 'w')".encode())
    listing = tmp_path / "list.txt"
    listing.write_text("flowers==1.0\n")

    (package,) = index(listing, tmp_path / "downloads", finder(shelf))
    (again,) = index(listing, tmp_path / "downloads", finder(tmp_path / "nowhere"))

    assert again == package
    assert scan(package, lambda _: ()).tree.files == 1
    assert not witness.exists()


@pytest.mark.parametrize("line", ["flowers", "flowers>=1", "flowers==1.*", "flowers==1,<2", "-r x"])
def test_a_line_that_pins_no_release_is_told(tmp_path: Path, line: str) -> None:
    listing = tmp_path / "list.txt"
    listing.write_text(line + "\n")
    with pytest.raises(WrongUse, match=r"list\.txt:1: not of the form name==version"):
        list(releases(listing))


def test_a_release_that_the_index_lacks_costs_a_row(tmp_path: Path) -> None:
    shelf, _ = index_with(tmp_path, b"")
    listing = tmp_path / "list.txt"
    listing.write_text("flowers==9.0\n")

    (package,) = index(listing, tmp_path / "downloads", finder(shelf))

    scanned = scan(package)
    assert scanned.state is State.UNREADABLE
    assert scanned.message == "flowers 9.0: the package index has no such release"
