"""Packages that lie here as folders: clones of repositories, and what is installed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath

from deepperf.check.discover import SUFFIXES
from deepperf.config.options import WrongUse
from deepperf.scan.members import Unreadable, folder_members
from deepperf.scan.package import Package


def clones(folders: Iterable[Path]) -> Iterator[Package]:
    """Each folder in one of `folders`, named by itself; `owner+name` is `owner/name`."""
    for folder in folders:
        try:
            inside = sorted(entry.path for entry in os.scandir(folder) if _is_folder(entry))
        except OSError as error:
            raise WrongUse(f"{folder}: {error.strerror or error}") from None
        for path in inside:
            name = Path(path).name.replace("+", "/", 1)
            yield Package(
                name, head_of(Path(path)), os.path.abspath(path), size=size_of(Path(path))
            )


def _is_folder(entry: os.DirEntry[str]) -> bool:
    is_text = entry.name.isprintable()  # no result could name it otherwise
    return is_text and entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")


def head_of(clone: Path) -> str:
    """The commit that a clone is at, "" where it is none or cannot be read."""
    if not (clone / ".git").is_dir():
        return ""
    try:
        from dulwich.repo import Repo

        with Repo(str(clone)) as repository:
            return repository.head().decode("ascii")
    except Exception:  # noqa: BLE001 - of whatever a stranger put there
        return ""


def size_of(folder: Path, parts: tuple[str, ...] = ()) -> int:
    """The bytes of the programs in it."""
    try:
        members = folder_members(folder, parts)
        return sum(one.size for one in members if one.name.endswith(SUFFIXES))
    except Unreadable:
        return 0


def installed(folder: Path) -> Iterator[Package]:
    """What is installed in a folder such as `site-packages`, in order of name."""
    if not folder.is_dir():
        raise WrongUse(f"{folder}: no such folder")
    found = {}
    for one in distributions(path=[str(folder)]):
        parts = _parts(one)
        if parts:
            name = str(one.metadata["Name"])
            found[name] = Package(
                name, one.version, os.path.abspath(folder), parts=parts,
                size=size_of(folder, parts),
            )  # fmt: skip
    yield from (found[name] for name in sorted(found))


def _parts(one: Distribution) -> tuple[str, ...]:
    """The folders and files of a distribution that lie in the folder itself."""
    tops = {PurePosixPath(str(path)).parts[0] for path in one.files or ()}
    kept = {top for top in tops if top.endswith((".py", ".dist-info")) or "." not in top}
    programs = {top for top in kept if not top.endswith(".dist-info")}
    return tuple(sorted(kept - {"__pycache__"})) if programs - {"__pycache__"} else ()
