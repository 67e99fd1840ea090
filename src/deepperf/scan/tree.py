"""Puts what the rules read of a package into a folder of its own, whatever the package holds."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from deepperf.check.discover import IGNORE_FILE, SUFFIXES
from deepperf.check.versions import is_version_file
from deepperf.config.load import OWN_FILE
from deepperf.scan.members import Member
from deepperf.scan.package import Tree

LARGEST_FILE = 16 * 1024**2
LARGEST_TREE = 512 * 1024**2
MOST_FILES = 50_000
_YEARS = range(1991, 2100)
"""Archives that are made the same every time give their files an earlier one."""
_BUILT = frozenset({"METADATA", "PKG-INFO", "requires.txt"})
_IMPORTS = re.compile(
    rb"^[ \t]*(?:import|from)[ \t]+(tensorflow|keras|torch|jax|flax|transformers|numpy)\b",
    re.MULTILINE,
)

Names = Callable[[Iterable[str]], Mapping[str, str]]
"""Tells for each name in a package the one that it gets."""


def as_they_are(names: Iterable[str]) -> Mapping[str, str]:
    """Each name as it is."""
    return {name: name for name in names}


def gather(
    members: Iterable[Member],
    folder: Path,
    named: Names = as_they_are,
) -> Tree:
    """Write the programs among `members`, and what tells their versions, into the new `folder`.

    `named` gives the names that they get there. Requirements that stand only in built
    metadata become a `requirements.txt`, where a check of sources finds them, and a settings
    file without settings marks the folder as a project of its own. Raises `Unreadable`.
    """
    folder.mkdir(parents=True)
    kept: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    years = [0]
    total = 0
    for member in members:
        path = PurePosixPath(member.name)
        if not _is_wanted(path):
            continue
        if why := _unsafe(path, member.name) or _too_large(member, total, len(kept)):
            left_out[_shown(member.name)] = why
            continue
        try:
            data = member.read()
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - of a broken archive it may be any
            left_out[_shown(member.name)] = " ".join(str(error).split())
            continue
        total += len(data)
        kept[str(path)] = data
        if path.suffix in SUFFIXES:
            years.append(member.year if member.year in _YEARS else 0)
    names = named(kept)
    for name, short in names.items():
        try:
            target = folder / short
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(kept[name])
        except OSError as error:
            left_out[_shown(name)] = error.strerror or str(error)
    _write_requirements(folder)
    (folder / OWN_FILE).write_text("# The root of a project.\n", encoding="utf-8")
    programs = [data for name, data in kept.items() if name.endswith(SUFFIXES)]
    used = {found.decode() for data in programs for found in _IMPORTS.findall(data)}
    return Tree(
        digest=_digest({short: kept[name] for name, short in names.items()}),
        bytes=sum(map(len, programs)),
        lines=sum(data.count(b"\n") for data in programs),
        files=len(programs),
        year=max(years),
        frameworks=tuple(sorted(used)),
        left_out=tuple(sorted(left_out.items())),
    )


def _is_wanted(path: PurePosixPath) -> bool:
    name = path.name
    if name == OWN_FILE:
        return False
    return name.endswith(SUFFIXES) or name in _BUILT or name == IGNORE_FILE or _may_tell(path)


def _may_tell(path: PurePosixPath) -> bool:
    # The folders above may be the one that is taken away.
    return is_version_file(path.name, path.name) or is_version_file(str(path), path.name)


def _unsafe(path: PurePosixPath, name: str) -> str:
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in path.parts[0]:
        return "its name leads outside the package"
    if any(ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 for letter in name):
        return "its name is no text"
    return ""


def _too_large(member: Member, total: int, count: int) -> str:
    if member.size > LARGEST_FILE:
        return f"larger than {LARGEST_FILE // 1024**2} MiB"
    if total + member.size > LARGEST_TREE or count >= MOST_FILES:
        return "the package is larger than what is scanned of one"
    return ""


def _shown(name: str) -> str:
    """A name that any file can hold."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")[:500]


def without_top(names: Iterable[str]) -> dict[str, str]:
    """Each name without the one folder that is around all of them."""
    everything = list(names)
    tops = {name.partition("/")[0] for name in everything}
    if len(tops) != 1 or not all("/" in name for name in everything):
        return {name: name for name in everything}
    return {name: name.partition("/")[2] for name in everything}


def _digest(contents: dict[str, bytes]) -> str:
    whole = hashlib.blake2b(digest_size=16)
    for name, data in sorted(contents.items()):
        whole.update(f"{name}\0".encode())
        whole.update(hashlib.blake2b(data, digest_size=16).digest())
    return whole.hexdigest()


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
