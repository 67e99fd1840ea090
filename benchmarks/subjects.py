"""The source trees that are measured: installed packages, copied so that each tool sees the
same files, whatever it thinks of the folder they were installed in."""

from __future__ import annotations

import random
import shutil
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from deepperf.check.generated import is_generated

STANDARD_LIBRARY = "standard library"


@dataclass(frozen=True, slots=True)
class Subject:
    """A tree of Python files, how much it holds, and how much of that programs wrote."""

    name: str
    folder: Path
    files: int
    lines: int
    generated_files: int = 0
    generated_lines: int = 0


class NotInstalled(Exception):
    """A package that should be measured is not there."""


def installed_folder(name: str) -> Path:
    """Where the package `name` lies; nothing of it is imported."""
    if name == STANDARD_LIBRARY:
        return Path(sysconfig.get_path("stdlib"))
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise NotInstalled(f"the package '{name}' is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def folder_of(name: str) -> Path:
    """The folder that a path names, or in which the package of that name is installed."""
    return Path(name) if "/" in name else installed_folder(name)


def copy_of(name: str, source: Path, into: Path) -> Subject:
    """Copy the Python files of `source` into the new project `into`/`name`."""
    folder = into / name.replace(" ", "-")
    for path in python_files(source):
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return _subject(name, folder)


def sample_of(subject: Subject, word: str, lines: int, seed: int, into: Path) -> Subject:
    """Copy files of `subject` that hold `word`, drawn by `seed` until `lines` are reached."""
    holding = [path for path in python_files(subject.folder) if word.encode() in path.read_bytes()]
    folder = into / f"sample-of-{subject.name}"
    folder.mkdir(parents=True)
    taken = 0
    for path in random.Random(seed).sample(holding, len(holding)):
        if taken >= lines:
            break
        target = folder / path.relative_to(subject.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        taken += count_lines(path)
    return _subject(f"sample of {subject.name}", folder)


def python_files(folder: Path) -> Iterator[Path]:
    """Every `.py` file below `folder`, in order; other packages installed there left out."""
    for path in sorted(folder.rglob("*.py")):
        if path.is_file() and not {"site-packages", "__pycache__"} & set(
            path.relative_to(folder).parts
        ):
            yield path


def count_lines(path: Path) -> int:
    """The line ends in a file."""
    return path.read_bytes().count(b"\n")


def _subject(name: str, folder: Path) -> Subject:
    (folder / "deepperf.toml").write_text("# The root of a project.\n", encoding="utf-8")
    files: Sequence[Path] = list(python_files(folder))
    generated = [path for path in files if is_generated(path.name, path.read_bytes())]
    return Subject(
        name,
        folder,
        len(files),
        sum(map(count_lines, files)),
        len(generated),
        sum(map(count_lines, generated)),
    )
