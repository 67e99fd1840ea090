"""Packages of the index, downloaded as files; nothing of them is installed, built or asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement

from deepperf.config.options import WrongUse
from deepperf.scan.corpus import CorpusError
from deepperf.scan.fetch import download_release
from deepperf.scan.package import Form, Package
from deepperf.scan.sources.archives import numbered

if TYPE_CHECKING:
    from unearth import PackageFinder


def releases(listing: Path) -> Iterator[tuple[str, str]]:
    """Name and version of each line `name==version`. Raises `WrongUse` for any other line."""
    for number, line in numbered(listing):
        try:
            wanted = Requirement(line)
            (pin,) = wanted.specifier
        except (InvalidRequirement, ValueError):
            raise WrongUse(f"{listing}:{number}: not of the form name==version: {line}") from None
        if pin.operator != "==" or "*" in pin.version:
            raise WrongUse(f"{listing}:{number}: not of the form name==version: {line}")
        yield wanted.name, pin.version


def index(listing: Path, folder: Path, finder: PackageFinder) -> Iterator[Package]:
    """The releases that a file lists, downloaded into `folder` unless they are there.

    A wheel for every machine is preferred to a source distribution, that to any other wheel.
    """
    for name, version in releases(listing):
        try:
            path = download_release(name, version, folder, finder)
        except CorpusError as error:
            yield Package(name, version, "", Form.ARCHIVE, lacking=str(error))
            continue
        size = path.stat().st_size
        yield Package(name, version, os.path.abspath(path), Form.ARCHIVE, size=size)
