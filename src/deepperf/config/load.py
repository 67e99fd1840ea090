"""Options from `deepperf.toml` or the table `[tool.deepperf]` of `pyproject.toml`."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from deepperf.config.options import Options, WrongUse
from deepperf.records import Level
from deepperf.spelling import near

OWN_FILE = "deepperf.toml"
SHARED_FILE = "pyproject.toml"
ROOT_MARKS = (OWN_FILE, SHARED_FILE, "setup.py", "setup.cfg", "requirements.txt", ".git", ".hg")
INSTALLED = ("site-packages", "dist-packages")


class RootKind(enum.Enum):
    """What makes a folder the root of a project."""

    MARKED = "marked"  # it holds a file that only the top of a project has
    INSTALLED = "installed"  # packages are installed in it, each a project of its own
    BARE = "bare"  # nothing says so


def project_root(start: Path) -> tuple[Path, RootKind]:
    """The folder of the project that `start` (a folder) belongs to, and what makes it one.

    Without any mark the root is the folder that holds the outermost package around `start`.
    """
    start = Path(os.path.abspath(start))  # of `a/../b`, `a` is no folder above
    for folder in (start, *start.parents):
        if folder.name in INSTALLED:
            return folder, RootKind.INSTALLED
        if any(os.path.lexists(folder / mark) for mark in ROOT_MARKS):
            return folder, RootKind.MARKED
    while os.path.isfile(start / "__init__.py") and start != start.parent:
        start = start.parent
    return start, RootKind.BARE


def config_file(start: Path) -> Path | None:
    """The nearest file with settings at or above the folder `start`.

    A `pyproject.toml` without our table is passed by. Raises `WrongUse` for a file on the
    way that is not TOML.
    """
    start = Path(os.path.abspath(start))  # of `a/../b`, `a` is no folder above
    for folder in (start, *start.parents):
        if os.path.isfile(own := folder / OWN_FILE):
            return own
        shared = folder / SHARED_FILE
        if os.path.isfile(shared) and _table_of(shared) is not None:
            return shared
    return None


def load_options(start: Path) -> tuple[Options, Path | None]:
    """The settings for the folder `start` and the file that holds them.

    Raises `WrongUse` naming file and key.
    """
    path = config_file(start)
    return (Options(), None) if path is None else (read_config(path), path)


Settings = Callable[[Path], tuple[Options, Path | None]]
"""Answers the settings for a folder and the file that holds them, as `load_options` does."""


def no_settings(start: Path) -> tuple[Options, Path | None]:  # noqa: ARG001 - one signature
    """The defaults, whatever file with settings there is."""
    return Options(), None


def settings_in(path: Path) -> Settings:
    """The settings in the file `path`, for every folder. Raises `WrongUse` naming file and key."""
    if _table_of(path) is None:
        raise WrongUse(f"{path}: has no table [tool.deepperf]")
    options = read_config(path)
    return lambda _: (options, path)


def keys_in(path: Path) -> frozenset[str]:
    """The keys that the file `path` sets."""
    return frozenset(_table_of(path) or {})


@contextmanager
def settings_of(path: Path | None) -> Iterator[None]:
    """While it lasts, a `WrongUse` about a value that the file holds names the file, too."""
    try:
        yield
    except WrongUse as error:
        if path is None or not error.about:
            raise
        options = read_config(path)
        values = (*options.select, *options.ignore, *options.framework_versions.values())
        if error.about not in itertools.chain(values, *options.per_file_ignores.values()):
            raise
        raise WrongUse(f"{path}: {error}") from None


def read_config(path: Path) -> Options:
    """The settings in the file `path`. Raises `WrongUse` naming file and key."""
    values = values_of(_table_of(path) or {}, os.fspath(path))
    options = dataclasses.replace(Options(), **values)  # type: ignore[arg-type]
    if not options.baseline:
        return options
    return dataclasses.replace(options, baseline=os.path.join(path.parent, options.baseline))


def _table_of(path: Path) -> Mapping[str, Any] | None:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}") from None
    if path.name == SHARED_FILE and b"deepperf" not in data:
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document: Mapping[str, Any] = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path}: not TOML: {error}") from None
    except RecursionError:
        raise WrongUse(f"{path}: nested too deeply") from None
    if path.name != SHARED_FILE:
        return document
    tool = document.get("tool")
    table = tool.get("deepperf") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise WrongUse(f"{path}: tool.deepperf must be a table")
    return table


def values_of(table: Mapping[str, object], where: str) -> dict[str, object]:
    """Options by the keys of settings that stand in `where`. Raises `WrongUse` naming both."""
    values: dict[str, object] = {}
    for key, value in table.items():
        known = KEYS.get(key)
        if known is None:
            raise WrongUse(f"{where}: unknown key {key!r}{_suggestion(key)}")
        try:
            values[known.option] = known.read(value)
        except (TypeError, ValueError, KeyError):
            raise WrongUse(f"{where}: {key} must be {known.wanted}, not {value!r}") from None
    return values


def _suggestion(key: str) -> str:
    return near(key, KEYS) or f"; known are {', '.join(KEYS)}"


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError
    return tuple(value)


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError
    return value


def _level(value: object) -> Level:
    if not isinstance(value, str):
        raise TypeError
    return Level[value.upper()]


def _versions(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise TypeError
    return dict(value)


def _ignores(value: object) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise TypeError
    return {pattern: _strings(selectors) for pattern, selectors in value.items()}


def _path(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _levels(value: object) -> Mapping[str, Level]:
    if not isinstance(value, dict):
        raise TypeError
    return {pattern: _level(level) for pattern, level in value.items()}


class Key(Struct, frozen=True):
    """A key of the settings: the option it sets, how its value is read, and what to say of it."""

    option: str
    read: Callable[[object], object]
    wanted: str
    meaning: str


_STRINGS = "a list of strings"
KEYS: Mapping[str, Key] = {
    "select": Key("select", _strings, _STRINGS, "only these rules, topics or causes"),
    "ignore": Key("ignore", _strings, _STRINGS, "all rules but these"),
    "preview": Key(
        "preview", _boolean, "true or false", "also rules whose gain was not yet measured"
    ),
    "level": Key("level", _level, '"note", "warning" or "error"', "the lowest level to show"),
    "framework-versions": Key(
        "framework_versions",
        _versions,
        "a table of strings",
        "versions to check for, in place of those that the project's metadata name",
    ),
    "include": Key(
        "include", _strings, _STRINGS, "patterns of files to check besides .py and .ipynb"
    ),
    "exclude": Key("exclude", _strings, _STRINGS, "patterns of paths to leave out"),
    "per-file-ignores": Key(
        "per_file_ignores",
        _ignores,
        "a table of lists of strings",
        "rules, topics or causes to ignore, by pattern of path",
    ),
    "per-file-level": Key(
        "per_file_level",
        _levels,
        "a table of levels",
        "the lowest level to show, by pattern of path",
    ),
    "baseline": Key(
        "baseline", _path, "a path from the folder of this file", "a file with known findings"
    ),
    "fail-on": Key(
        "fail_on", _level, '"note", "warning" or "error"', "the lowest level that fails a check"
    ),
    "jobs": Key(
        "jobs", _count, "a whole number, 0 or more", "worker processes; 0 for one per core"
    ),
    "cache": Key("cache", _boolean, "true or false", "whether to remember reports between runs"),
}
