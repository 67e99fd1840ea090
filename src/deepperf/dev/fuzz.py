"""Checks programs whose trees were changed at random, and keeps what crashed."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from deepperf import __version__
from deepperf.check.engine import installed_rules
from deepperf.check.run import check_file
from deepperf.check.select import Selection
from deepperf.config.options import Options
from deepperf.dev.tree_mutants import mutant, programs
from deepperf.records import Failure, Level
from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, role_of

PATH = "train.py"
FOLDER = Path("evaluation", "fuzz")
KEPT_EVERY = 1_000
"""Programs after which the result is written anew: a run of hours may be ended at any time."""


@dataclass(frozen=True, slots=True)
class Crash:
    """One way to crash: how often it was met, and the first program that did."""

    message: str
    times: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """What became of the first `checked` programs of a seed; `seconds` are of the processor."""

    date: str
    deepperf: str
    python: str
    seed: int
    sources: int
    checked: int = 0
    seconds: float = 0
    slowest: float = 0
    crashes: tuple[Crash, ...] = ()


def everything() -> Selection:
    """All rules, whatever they are set to by default."""
    return installed_rules(Options(preview=True, level=Level.NOTE))


def crashes_of(text: str, selection: Selection) -> tuple[Failure, ...]:
    """Where the engine or a rule crashes on a text that stands alone."""
    project = Project({PATH: Source(PATH, text, role_of(PATH))})
    failures = check_file(project, PATH, selection).report.failures
    return tuple(failure for failure in failures if failure.internal)


def fuzz(root: Path, count: int, seed: int) -> tuple[Path, tuple[Crash, ...]]:
    """Check `count` programs made of those below `root`; gives the file that tells the result."""
    sources = programs(root)
    now = datetime.now(timezone.utc)
    path = root / FOLDER / f"{now:%Y-%m-%d}-seed-{seed}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    start = Result(f"{now:%Y-%m-%d}", __version__, platform.python_version(), seed, len(sources))
    result = start
    for result in _results(start, sources, count):
        if result.checked % KEPT_EVERY == 0 or result.checked == count:
            path.write_text(json.dumps(asdict(result), indent=1) + "\n", encoding="utf-8")
    return path, result.crashes


def _results(result: Result, sources: Sequence[str], count: int) -> Iterator[Result]:
    """The result after each program."""
    selection, begin = everything(), time.process_time()
    crashes: dict[str, Crash] = {}
    for number in range(count):
        text, started = mutant(sources, result.seed, number), time.process_time()
        for failure in crashes_of(text, selection):
            known = crashes.get(failure.message, Crash(failure.message, 0, number, text))
            crashes[failure.message] = replace(known, times=known.times + 1)
        ended = time.process_time()
        result = replace(
            result,
            checked=number + 1,
            seconds=round(ended - begin, 1),
            slowest=max(result.slowest, round(ended - started, 2)),
            crashes=tuple(crashes.values()),
        )
        yield result
