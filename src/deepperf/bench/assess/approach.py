"""What an approach is, what it may answer, and how far an answer helps.

An approach is a module beside this one with a value `approach`. It is asked for raw outputs,
which are stored, and judged on them alone, so that every verdict can be traced and judged
again.
"""

from __future__ import annotations

import ast
import enum
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepperf.bench.launch import Start
from deepperf.bench.problems import Problem

Raw = dict[str, Any]


class Verdict(enum.Enum):
    """How far an approach helps somebody who has the problem."""

    NOT_APPLICABLE = "not applicable"  # it is not made for such programs
    SILENT = "silent"  # it says nothing that belongs to the problem, and changes nothing
    SYMPTOM = "symptom only"  # it shows what is wrong or where, not why
    CAUSE = "cause named"
    LINE = "cause and line named"
    EASED = "partly fixed"
    FIXED = "fixed"

    @property
    def helps(self) -> bool:
        """Whether it names the cause, or takes away some of what the problem costs."""
        return self in (Verdict.CAUSE, Verdict.LINE, Verdict.EASED, Verdict.FIXED)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with the reason in a phrase."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What approaches may use: how to start a side, how often, and the original checker."""

    start: Start
    rounds: int
    original: Path | None = None


Ask = Callable[[Sequence[Problem], Setting], Iterator[tuple[Problem, Raw]]]


@dataclass(frozen=True, slots=True)
class Approach:
    """One approach. `version` is that of the tool; `obstacle` says why it cannot be asked here.

    `ask` gives for each problem what the tool said, as JSON can hold it; `judge` is pure.
    """

    name: str
    title: str
    version: Callable[[], str]
    obstacle: Callable[[Setting], str]
    ask: Ask
    judge: Callable[[Problem, Raw], Judgement]


class UnknownApproach(ValueError):
    """A name that no approach has, in one line."""


def approaches() -> dict[str, Approach]:
    """Every approach by its name: each module of this package that has one."""
    package = __name__.rpartition(".")[0]
    folder = [str(Path(__file__).parent)]
    found = {}
    for module in pkgutil.iter_modules(folder):
        approach = getattr(importlib.import_module(f"{package}.{module.name}"), "approach", None)
        if isinstance(approach, Approach):
            found[approach.name] = approach
    return dict(sorted(found.items()))


def chosen(names: Iterable[str]) -> tuple[Approach, ...]:
    """The approaches called by `names`, all without names. Raises UnknownApproach."""
    known = approaches()
    for name in names:
        if name not in known:
            raise UnknownApproach(f"{name}: no such approach (there are {', '.join(known)})")
    return tuple(known[name] for name in dict.fromkeys(names)) or tuple(known.values())


def without_folders(text: str) -> str:
    """`text` with bare file names in place of absolute paths, which differ between machines."""
    return re.sub(r"(?<![\w.:/])/(?:[\w.+@-]+/)+(?=[\w.+@-])", "", text)


def imports(problem: Problem, *packages: str) -> bool:
    """Whether the buggy program imports one of `packages`."""
    for file in problem.buggy:
        for node in ast.walk(ast.parse(file.text)):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            if any(name.split(".")[0] in packages for name in names):
                return True
    return False
