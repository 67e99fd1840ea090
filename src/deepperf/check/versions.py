"""Which framework versions count for a project: what its metadata admit, or an option says."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from deepperf.config.options import WrongUse
from deepperf.records import Failure
from deepperf.semantics.frameworks.kinds import kind_of

if TYPE_CHECKING:
    from deepperf.semantics.frameworks.versions import VersionRange

_FOLDERS = ("", "requirements", "docker", ".devcontainer", ".github/workflows", ".circleci")
_ENDINGS = (
    ".cfg",
    ".in",
    ".json",
    ".lock",
    ".md",
    ".pip",
    ".rst",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
    "file",
)
_NAMES = ("setup.py", "Pipfile", "README")
LARGEST_BYTES = 8 * 1024 * 1024
"""A larger file is data, whatever its name."""


def versions_of(root: Path, overrides: Mapping[str, str]) -> Mapping[str, VersionRange]:
    """The range of each framework that metadata below `root` or an override speaks of.

    Raises `WrongUse` for an override that names no framework or no version.
    """
    from deepperf.semantics.frameworks.versions import admitted_versions

    names = ((name, path) for name, path, _ in _candidates(root) if kind_of(name))
    return {**admitted_versions(_texts(names)), **overriding(overrides)}


def versions_by_folder(
    root: Path, metadata: Iterable[str], overrides: Mapping[str, str]
) -> Mapping[str, Mapping[str, VersionRange]]:
    """What the metadata files (paths below `root`) of each folder say, without the root's own.

    Frameworks that an override speaks of are left out: it holds everywhere.
    """
    from deepperf.semantics.frameworks.versions import admitted_versions

    owned: dict[str, list[str]] = {}
    for path in metadata:
        owned.setdefault(_owner(path), []).append(path)
    owned.pop("", None)
    overridden = overriding(overrides).keys()
    found = {}
    for folder, paths in sorted(owned.items()):
        start = len(folder) + 1
        texts = _texts((path[start:], os.path.join(root, path)) for path in paths)
        found[folder] = {
            framework: replace(versions, path=f"{folder}/{versions.path}")
            for framework, versions in admitted_versions(texts).items()
            if framework not in overridden
        }
    return {folder: versions for folder, versions in found.items() if versions}


def _texts(files: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    from deepperf.semantics.text.source import read_source

    texts = {}
    for name, path in files:
        try:
            with open(path, "rb") as stream:
                source = read_source(name, stream.read())
        except OSError:
            continue
        if not isinstance(source, Failure):
            texts[name] = source.text
    return texts


def _owner(path: str) -> str:
    """The folder for which a metadata file speaks: that around `requirements/` and its like."""
    folder = path.rpartition("/")[0]
    above, _, last = folder.rpartition("/")
    return above if last in _FOLDERS else folder


def is_version_file(path: str, name: str) -> bool:
    """Whether the file at `path`, whose last part is `name`, may say which versions count."""
    return _may_tell(name) and kind_of(path) is not None


def _may_tell(name: str) -> bool:
    return name.lower().endswith(_ENDINGS) or name in _NAMES or "ockerfile" in name


def overriding(overrides: Mapping[str, str]) -> Mapping[str, VersionRange]:
    """The ranges of options such as `{"tensorflow": "2.4", "torch": ">=2.1"}`.

    Raises `WrongUse` for one that names no framework or no version.
    """
    if not overrides:
        return {}
    from deepperf.semantics.frameworks.versions import parse_override

    ranges = {}
    for name, spec in overrides.items():
        try:
            framework, versions = parse_override(
                f"{name}={spec}" if spec[:1].isalnum() else f"{name}{spec}"
            )
        except ValueError as error:
            raise WrongUse(str(error), spec) from None
        ranges[framework] = versions
    return ranges


def version_files_stamp(root: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, size and date of each file below `root` that may say which versions count."""
    return tuple(
        (name, status.st_size, status.st_mtime_ns) for name, _, status in _candidates(root)
    )


def _candidates(root: Path) -> Iterator[tuple[str, str, os.stat_result]]:
    for folder in _FOLDERS:
        try:
            with os.scandir(root / folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            name = entry.name
            if not _may_tell(name):
                continue
            try:
                status = entry.stat()
                if entry.is_file(follow_symlinks=False) and status.st_size <= LARGEST_BYTES:
                    yield f"{folder}/{name}" if folder else name, entry.path, status
            except OSError:
                continue
