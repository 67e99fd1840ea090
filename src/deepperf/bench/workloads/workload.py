"""Reads workloads: folders with a program as it was first written, the same one tuned, and what
lies between.

A folder holds `workload.toml`, `written.py`, `tuned.py` and `patches/`, one patch for each
problem. Each applies to `written.py` alone, and all of them, one after the other, make `tuned.py`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepperf.spelling import near

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ABOUT = "workload.toml"
WRITTEN, TUNED = "written.py", "tuned.py"
FELT = ("cpu", "memory", "accelerator")
TOOLS = ("check", "run", "prove")
_HUNK = re.compile(r"@@ -(?P<first>[0-9]+)")


class WorkloadError(ValueError):
    """A workload that cannot be read or run, in one line that names it."""


class NoWorkloads(Exception):
    """There are no workloads where they were looked for, or none of a name, in one line."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of `written.py`, and the lines at which naming it counts.

    `felt` is where it costs: of what costs an accelerator's time, a processor tells little.
    `expected` are the tools that should name it, and `rules` what may name it: rules, and
    opportunities of `prove`. Both were written before any tool saw the program.
    """

    name: str
    line: int
    about: str
    felt: str
    expected: tuple[str, ...]
    rules: tuple[str, ...]
    patch: Path
    changed: frozenset[int]
    around: frozenset[int]

    @property
    def places(self) -> frozenset[int]:
        """Lines that the patch changes, those of the problem's function, and what `also` names."""
        return self.changed | self.around


@dataclass(frozen=True, slots=True)
class Workload:
    """One program. `small` are arguments for a run of a moment, `short` for one of a second.

    `categories` are the words of the paper or survey for what the program does.
    """

    name: str
    folder: Path
    system: str
    idea: str
    categories: tuple[str, ...]
    framework: str
    tolerance: float
    small: tuple[str, ...]
    short: tuple[str, ...]
    problems: tuple[Problem, ...]


def find_workloads(folder: Path) -> tuple[Path, ...]:
    """The folders of the workloads in `folder`, by their names. Raises NoWorkloads."""
    found = sorted(path.parent for path in folder.glob(f"*/{ABOUT}"))
    if not found:
        raise NoWorkloads(
            f"{folder}: no workload is in it; they lie in deepperf's repository and are not "
            "installed with it: run this there, or say where they are with --workloads"
        )
    return tuple(found)


def named(names: Iterable[str], folders: Iterable[Path]) -> tuple[Path, ...]:
    """Those of `folders` that are called by `names`, all without names. Raises NoWorkloads."""
    by_name = {folder.name: folder for folder in folders}
    wanted = tuple(dict.fromkeys(names)) or tuple(by_name)
    for name in wanted:
        if name not in by_name:
            raise NoWorkloads(f"{name}: there is no such workload{near(name, by_name)}")
    return tuple(by_name[name] for name in wanted)


def read_workload(folder: Path) -> Workload:
    """The workload in `folder`. Raises WorkloadError."""
    toml = folder / ABOUT
    try:
        table = tomllib.loads(toml.read_text(encoding="utf-8"))
        source = (folder / WRITTEN).read_text(encoding="utf-8")
        return Workload(
            name=folder.name,
            folder=folder,
            system=table["system"],
            idea=table["idea"],
            categories=tuple(table["categories"]),
            framework=table["framework"],
            tolerance=table["tolerance"],
            small=tuple(table["small"]),
            short=tuple(table["short"]),
            problems=tuple(_problem(entry, folder, source) for entry in table["problems"]),
        )
    except (OSError, tomllib.TOMLDecodeError, SyntaxError) as error:
        raise WorkloadError(f"{toml}: {error}") from None
    except KeyError as error:
        raise WorkloadError(f"{toml}: {error.args[0]} is missing") from None


def _problem(entry: dict[str, Any], folder: Path, source: str) -> Problem:
    name, line = entry["name"], entry["line"]
    if not set(entry["expected"]) <= set(TOOLS) or entry["felt"] not in FELT:
        raise WorkloadError(f"{folder / ABOUT}: {name}: expected or felt is none of the known")
    patch = folder / "patches" / f"{name}.patch"
    return Problem(
        name=name,
        line=line,
        about=entry["about"],
        felt=entry["felt"],
        expected=tuple(entry["expected"]),
        rules=tuple(entry["rules"]),
        patch=patch,
        changed=frozenset(_changed(patch.read_text(encoding="utf-8"))),
        around=function_around(source, line) | {*entry.get("also", ())},
    )


def _changed(patch: str) -> Iterator[int]:
    """Lines of the old side that a patch takes away, and those before which it adds some."""
    number = 0
    for line in patch.splitlines():
        if found := _HUNK.match(line):
            number = int(found["first"])
        elif line.startswith("-") and not line.startswith("---"):
            yield number
            number += 1
        elif line.startswith("+") and not line.startswith("+++"):
            yield number
        elif line.startswith(" "):
            number += 1


def function_around(source: str, line: int) -> frozenset[int]:
    """The lines of the innermost function in which `line` stands, or that line alone."""
    spans = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return frozenset(min((span for span in spans if line in span), key=len, default=(line,)))
