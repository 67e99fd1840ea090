"""The versions of what is measured, as they are installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version


def versions_of(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and version of each package that is installed, be it as its build for the processor."""
    for name in names:
        for distribution in (name, f"{name}-cpu"):
            try:
                yield name, version(distribution)
                break
            except PackageNotFoundError:
                continue
