"""Unpacks an archive that nobody vouched for: no links, nothing outside its folder."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from deepperf.scan.corpus import CorpusError, Kind

_TEXT_SUFFIXES = frozenset(
    {".py", ".pyi", ".ipynb", ".toml", ".cfg", ".txt", ".in", ".yml", ".yaml", ".lock", ".md"}
)
_TEXT_NAMES = frozenset({"METADATA", "PKG-INFO", "Pipfile", "LICENSE", ".gitignore"})
_LARGEST_FILE = 64 * 1024 * 1024
_LARGEST_TREE = 4 * 1024 * 1024 * 1024


def unpack(archive: Path, folder: Path, kind: Kind) -> None:
    """Put the sources and the project metadata of `archive` into the new `folder`.

    A source distribution's single top folder is taken away. Requirements that stand only in
    the built metadata become a `requirements.txt`, where a checker of the project's own
    sources finds them, and a `deepperf.toml` without settings marks the folder as a project
    of its own. Raises `CorpusError` for an archive that is broken or reaches
    outside its folder.
    """
    folder.mkdir(parents=True)
    members = _zip_members if archive.suffix in (".whl", ".zip") else _tar_members
    total = 0
    try:
        for name, content in members(archive):
            path = _inside(archive, name)
            if kind is Kind.SDIST:
                path = PurePosixPath(*path.parts[1:])
            if not path.parts:
                continue
            total += len(content)
            if total > _LARGEST_TREE:
                raise CorpusError(f"{archive.name}: more than {_LARGEST_TREE} bytes")
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except (OSError, EOFError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise CorpusError(f"{archive.name}: {error}") from error
    _write_requirements(folder)
    (folder / "deepperf.toml").write_text("# The root of a project.\n", encoding="utf-8")


def _zip_members(archive: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            is_link = (info.external_attr >> 16) & 0o170000 == 0o120000
            if info.is_dir() or is_link or not _wanted(info.filename, info.file_size):
                continue
            yield info.filename, opened.read(info)


def _tar_members(archive: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive) as opened:
        for info in opened:
            if not info.isreg() or not _wanted(info.name, info.size):
                continue
            stream = opened.extractfile(info)
            if stream is not None:
                yield info.name, stream.read()


def _wanted(name: str, size: int) -> bool:
    path = PurePosixPath(name)
    return size <= _LARGEST_FILE and (path.suffix in _TEXT_SUFFIXES or path.name in _TEXT_NAMES)


def _inside(archive: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in path.parts[0]:
        raise CorpusError(f"{archive.name}: the member {name!r} reaches outside the archive")
    return path


def _write_requirements(folder: Path) -> None:
    target = folder / "requirements.txt"
    found = requirements_of(folder)
    if found and not target.exists():
        target.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")


def requirements_of(folder: Path) -> tuple[str, ...]:
    """The requirements in the built metadata of an unpacked package, extras included.

    An extra is a choice of the user, so its condition is dropped: a package that names its
    framework only as an extra still names the versions it is written for.
    """
    lines: dict[str, None] = {}
    metadata = [*sorted(folder.glob("*.dist-info/METADATA")), folder / "PKG-INFO"]
    for path in metadata:
        if path.is_file():
            message = HeaderParser().parsestr(path.read_text(encoding="utf-8", errors="replace"))
            lines.update(dict.fromkeys(message.get_all("Requires-Dist", [])))
    for path in sorted(folder.glob("**/*.egg-info/requires.txt")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.strip() and not line.startswith("["):
                lines[line.strip()] = None
    return tuple(dict.fromkeys(_without_extra(line) for line in lines))


def _without_extra(requirement: str) -> str:
    specifier, _, marker = requirement.partition(";")
    kept = [
        clause.strip()
        for clause in re.split(r"\band\b", marker)
        if clause.strip() and not re.search(r"\bextra\b", clause)
    ]
    return f"{specifier.strip()} ; {' and '.join(kept)}" if kept else specifier.strip()
