"""Archives of repositories that lie here, as a list names them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from deepperf.config.options import WrongUse
from deepperf.scan.package import Form, Package

_ENDINGS = (".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tar", ".zip", ".whl")


def archives(listing: Path) -> Iterator[Package]:
    """The archives of a file with a path on each line, from that file's folder on.

    A name and a version may follow, with spaces between them. Raises `WrongUse` for a line that
    names no archive.
    """
    for number, line in numbered(listing):
        words = line.split()
        path = listing.parent / words[0]
        ending = next((one for one in _ENDINGS if words[0].endswith(one)), "")
        if not ending or len(words) > 3 or not path.is_file():
            raise WrongUse(f"{listing}:{number}: no archive here: {line}")
        name = words[1] if len(words) > 1 else path.name.removesuffix(ending)
        version = words[2] if len(words) > 2 else ""
        size = path.stat().st_size
        yield Package(name, version, os.path.abspath(path), Form.ARCHIVE, size=size)


def numbered(listing: Path) -> Iterator[tuple[int, str]]:
    """The lines of a list that say something, with their numbers. Raises `WrongUse`."""
    try:
        lines = listing.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"{listing}: {error}") from None
    for number, line in enumerate(lines, 1):
        said = line.partition("#")[0].strip()
        if said:
            yield number, said
