"""The pinned packages that rules are tried on, and where they lie once fetched."""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from deepperf.config.options import WrongUse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class CorpusError(WrongUse):
    """The corpus or a choice from it is wrong; the message is one line that names what."""


class Framework(enum.Enum):
    """What most of a package is written for."""

    TENSORFLOW_1 = "tf1"
    TENSORFLOW_2 = "tf2"
    TORCH = "torch"
    JAX = "jax"


class Kind(enum.Enum):
    """How a package was published."""

    WHEEL = "wheel"
    SDIST = "sdist"


@dataclass(frozen=True, slots=True)
class Pinned:
    """One pinned package: `file` of the package index, whose bytes hash to `sha256`."""

    name: str
    version: str
    framework: Framework
    what: str
    file: str
    sha256: str

    @property
    def key(self) -> str:
        return f"{self.name}-{self.version}"

    @property
    def kind(self) -> Kind:
        return Kind.WHEEL if self.file.endswith(".whl") else Kind.SDIST

    def folder(self, packages: Path) -> Path:
        """Where the package's files lie below the folder `packages`, once fetched."""
        return packages / self.key


_SHAPES = {
    "name": re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*"),
    "version": re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!]*"),
    "what": re.compile(r".+"),
    "file": re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]*\.(whl|zip|tar\.gz|tar\.bz2)"),
    "sha256": re.compile(r"[0-9a-f]{64}"),
}


def load_corpus(path: Path) -> tuple[Pinned, ...]:
    """The packages of a corpus file, in its order.

    Raises `CorpusError` for a file that cannot be read or an entry that is not right.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    entries = table.pop("package", [])
    if table:
        raise CorpusError(f"{path}: unknown key '{min(table)}'")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise CorpusError(f"{path}: 'package' must be an array of tables")
    packages = tuple(
        _package(entry, f"{path}: package {number}") for number, entry in enumerate(entries, 1)
    )
    seen: set[str] = set()
    for package in packages:
        if package.key in seen:
            raise CorpusError(f"{path}: {package.key} stands there twice")
        seen.add(package.key)
    return packages


def _package(entry: dict[str, object], place: str) -> Pinned:
    names = {field.name for field in fields(Pinned)}
    for key in sorted(entry.keys() ^ names):
        raise CorpusError(f"{place}: {'unknown' if key in entry else 'missing'} key '{key}'")
    texts: dict[str, str] = {}
    for key, value in entry.items():
        if not isinstance(value, str):
            raise CorpusError(f"{place}: '{key}' must be a string")
        if key in _SHAPES and not _SHAPES[key].fullmatch(value):
            raise CorpusError(f"{place}: '{key}' cannot be {value!r}")
        texts[key] = value
    framework = texts.pop("framework")
    if framework not in {member.value for member in Framework}:
        known = ", ".join(member.value for member in Framework)
        raise CorpusError(f"{place}: 'framework' is {framework!r}, not one of {known}")
    return Pinned(framework=Framework(framework), **texts)


def choose(packages: Iterable[Pinned], wanted: Sequence[str]) -> tuple[Pinned, ...]:
    """The packages named by `wanted`: names, name-version keys, or frameworks; all if empty.

    Raises `CorpusError` for a word that names nothing.
    """
    everything = tuple(packages)
    if not wanted:
        return everything
    for word in wanted:
        if not any(_answers_to(package, word) for package in everything):
            raise CorpusError(f"no package of the corpus is called '{word}'")
    return tuple(
        package for package in everything if any(_answers_to(package, word) for word in wanted)
    )


def _answers_to(package: Pinned, word: str) -> bool:
    return word in (package.name, package.key, package.framework.value)
