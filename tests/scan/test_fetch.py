import hashlib
import io
import tarfile
from pathlib import Path

import pytest
from tests.scan.builders import package
from unearth import PackageFinder

from deepperf.scan.corpus import CorpusError, Pinned
from deepperf.scan.fetch import fetch, parse_pip_settings


def index_with(folder: Path, source: bytes) -> tuple[Path, Pinned]:
    """A package index in a folder, with one sdist, and the pin of that."""
    name = "flowers-1.0.tar.gz"
    shelf = folder / "simple" / "flowers"
    shelf.mkdir(parents=True)
    with tarfile.open(shelf / name, "w:gz") as archive:
        info = tarfile.TarInfo("flowers-1.0/setup.py")
        info.size = len(source)
        archive.addfile(info, io.BytesIO(source))
    (shelf / "index.html").write_text(f'<a href="{name}">{name}</a>')
    digest = hashlib.sha256((shelf / name).read_bytes()).hexdigest()
    return folder / "simple", package(file=name, sha256=digest)


def finder(index: Path) -> PackageFinder:
    return PackageFinder(index_urls=[index.as_uri()], ignore_compatibility=True)


def test_a_pinned_sdist_is_unpacked_and_its_setup_is_not_run(tmp_path: Path) -> None:
    witness = tmp_path / "it-ran"
    index, pinned = index_with(tmp_path, f"open({str(witness)!r}, 'w')".encode())

    folder = fetch(pinned, tmp_path / "packages", finder(index))

    assert folder == tmp_path / "packages" / "flowers-1.0"
    assert (folder / "setup.py").exists()
    assert not witness.exists()


def test_what_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    index, pinned = index_with(tmp_path, b"")
    folder = fetch(pinned, tmp_path / "packages", finder(index))
    (folder / "setup.py").write_text("# mine")

    fetch(pinned, tmp_path / "packages", finder(tmp_path / "nowhere"))

    assert (folder / "setup.py").read_text() == "# mine"


def test_other_bytes_than_the_pinned_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    index, _ = index_with(tmp_path, b"")
    pinned = package(sha256="f" * 64)

    with pytest.raises(CorpusError, match=r"flowers-1\.0\.tar\.gz"):
        fetch(pinned, tmp_path / "packages", finder(index))

    assert not list((tmp_path / "packages").iterdir())


def test_a_file_that_the_index_lacks_is_named(tmp_path: Path) -> None:
    index, _ = index_with(tmp_path, b"")

    with pytest.raises(CorpusError, match=r"flowers-2\.0\.tar\.gz: the package index has no such"):
        fetch(package(version="2.0"), tmp_path / "packages", finder(index))


def test_an_index_that_does_not_answer_is_a_problem_told_in_one_line(tmp_path: Path) -> None:
    silent = PackageFinder(index_urls=["http://127.0.0.1:9/simple"], ignore_compatibility=True)

    with pytest.raises(CorpusError, match=r"^flowers-1\.0\.tar\.gz: [^\n]+$"):
        fetch(package(), tmp_path / "packages", silent)


def test_the_settings_of_pip_in_the_environment_outrank_its_files() -> None:
    listing = "\n".join(
        [
            ":env:.index-url='https://one.invalid/simple'",
            "global.extra-index-url='https://two.invalid/simple file:///three'",
            "global.index-url='https://four.invalid/simple'",
            "global.find-links=''",
        ]
    )

    assert parse_pip_settings(listing) == {
        "index-url": ["https://one.invalid/simple"],
        "extra-index-url": ["https://two.invalid/simple", "file:///three"],
        "find-links": [],
    }
