"""Downloads pinned packages without running any of their code.

Installers build a source distribution to learn its metadata, which runs its `setup.py`.
Here the file is looked up in the index, downloaded, compared with its pinned hash and
unpacked by us; nothing in it is executed.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import Version

from deepperf.scan.corpus import CorpusError, Kind, Pinned
from deepperf.scan.members import archive_members
from deepperf.scan.tree import as_they_are, gather, without_top

if TYPE_CHECKING:
    from unearth import Link, PackageFinder


def fetch(package: Pinned, packages: Path, finder: PackageFinder) -> Path:
    """The folder of `package` below `packages`, downloaded and unpacked if it is not there.

    Raises `CorpusError` when the index lacks the file, its bytes differ from the pinned
    hash, or the archive is not sound.
    """
    folder = package.folder(packages)
    if folder.is_dir():
        return folder
    packages.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=packages) as scratch:
        archive = _download(package, Path(scratch), finder)
        unpacked = Path(scratch) / "unpacked"
        names = without_top if package.kind is Kind.SDIST else as_they_are
        gather(archive_members(archive), unpacked, names)
        unpacked.rename(folder)
    return folder


def download_release(name: str, version: str, folder: Path, finder: PackageFinder) -> Path:
    """A file of a release below `folder`, downloaded if none is there.

    Raises `CorpusError` where the index has no such release or does not answer.
    """
    place = folder / f"{name}-{version}"
    for path in sorted(place.glob("*")) if place.is_dir() else ():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with _index_problems(f"{name} {version}"):
        found = [
            one.link
            for one in finder.find_all_packages(name, allow_yanked=True)
            if one.version is not None and Version(one.version) == Version(version)
        ]
        if not found:
            raise CorpusError(f"{name} {version}: the package index has no such release")
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
            path = finder.download(min(found, key=_preference), Path(scratch))
            place.mkdir()
            return path.rename(place / path.name)


def _preference(link: Link) -> tuple[int, str]:
    if link.filename.endswith("-none-any.whl"):
        return 0, link.filename
    return (2 if link.is_wheel else 1), link.filename


@contextmanager
def _index_problems(what: str) -> Iterator[None]:
    from unearth.errors import UnpackError
    from unearth.preparer import HTTPErrors

    problems: tuple[type[Exception], ...] = (UnpackError, OSError, *HTTPErrors)
    try:
        yield
    except problems as error:
        raise CorpusError(f"{what}: {error}") from error


def _download(package: Pinned, into: Path, finder: PackageFinder) -> Path:
    with _index_problems(package.file):
        for candidate in finder.find_all_packages(package.name, allow_yanked=True):
            if candidate.link.filename == package.file:
                return finder.download(candidate.link, into, {"sha256": [package.sha256]})
    raise CorpusError(f"{package.file}: the package index has no such file")


def index_finder() -> PackageFinder:
    """A finder on the package index that pip is set up for, for every platform."""
    from unearth import PackageFinder

    settings = pip_settings()
    finder = PackageFinder(index_urls=settings.get("index-url", []), ignore_compatibility=True)
    for url in settings.get("extra-index-url", []):
        finder.add_index_url(url)
    return finder


def pip_settings() -> Mapping[str, list[str]]:
    """pip's settings, from its files and its environment variables, as words per option."""
    listing = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"],
        capture_output=True,
        text=True,
        check=False,
    )
    return parse_pip_settings(listing.stdout)


def parse_pip_settings(listing: str) -> dict[str, list[str]]:
    """The settings in what `pip config list` prints; its environment wins over its files."""
    found: dict[str, list[str]] = {}
    for line in sorted(listing.splitlines(), key=lambda line: line.startswith(":env:")):
        name, separator, value = line.partition("=")
        if separator:
            option = name.rpartition(".")[2]
            found[option] = shlex.split(value)[0].split() if value.strip("'\" ") else []
    return found
