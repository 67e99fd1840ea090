"""Which framework versions count for a project: what its metadata admit, or an option says."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.config.options import WrongUse

if TYPE_CHECKING:
    from deepperf.semantics.versions import VersionRange

_FOLDERS = ("", "requirements", "docker", ".devcontainer")
_ENDINGS = (".cfg", ".in", ".json", ".lock", ".pip", ".toml", ".txt", ".yaml", ".yml", "file")
_NAMES = ("setup.py", "Pipfile")
_LARGEST_BYTES = 8 * 1024 * 1024


def versions_of(root: Path, overrides: Mapping[str, str]) -> Mapping[str, VersionRange]:
    """The range of each framework that metadata below `root` or an override speaks of.

    Raises `WrongUse` for an override that names no framework or no version.
    """
    from deepperf.semantics.metadata import is_metadata
    from deepperf.semantics.versions import admitted_versions

    texts = {}
    for name, path, _ in _candidates(root):
        if is_metadata(name):
            try:
                with open(path, encoding="utf-8", errors="replace") as stream:
                    texts[name] = stream.read()
            except OSError:
                continue
    return {**admitted_versions(texts), **overriding(overrides)}


def overriding(overrides: Mapping[str, str]) -> Mapping[str, VersionRange]:
    """The ranges of options such as `{"tensorflow": "2.4", "torch": ">=2.1"}`.

    Raises `WrongUse` for one that names no framework or no version.
    """
    if not overrides:
        return {}
    from deepperf.semantics.versions import parse_override

    try:
        return dict(
            parse_override(f"{name}={spec}" if spec[:1].isalnum() else f"{name}{spec}")
            for name, spec in overrides.items()
        )
    except ValueError as error:
        raise WrongUse(str(error)) from None


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
            if not (name.lower().endswith(_ENDINGS) or name in _NAMES or "ockerfile" in name):
                continue
            try:
                status = entry.stat()
                if entry.is_file() and status.st_size <= _LARGEST_BYTES:
                    yield f"{folder}/{name}" if folder else name, entry.path, status
            except OSError:
                continue
