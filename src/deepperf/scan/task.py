"""One package, one task: check it as a project of its own and keep what is worth comparing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepperf.records import Failure, Finding, Level, Report

Check = Callable[[Path], Iterable[Report]]
"""Checks the project in a folder; relative paths in its reports count from the working folder."""


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """One finding in a package.

    `occurrence` counts from 1 the findings of the rule on lines with the same text in the
    same file: with it, a hit is known again when lines move. `steps` tell the way to it.
    """

    package: str
    version: str
    path: str
    line: int
    column: int
    rule: str
    level: str
    role: str
    message: str
    text: str
    occurrence: int
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Trouble:
    """Something in a package that could not be read or checked."""

    package: str
    version: str
    path: str
    line: int
    message: str
    internal: bool


@dataclass(frozen=True, slots=True)
class Scanned:
    """What checking one package gave; `seconds` are CPU seconds of this process's tree."""

    package: str
    version: str
    files: int
    lines: int
    seconds: float
    hits: tuple[Hit, ...]
    troubles: tuple[Trouble, ...]


def scan(package: str, version: str, folder: Path, check: Check) -> Scanned:
    """Check the package that lies in `folder`."""
    begin = _cpu_seconds()
    reports = sorted(check(folder), key=lambda report: report.path)
    seconds = _cpu_seconds() - begin
    return Scanned(
        package=package,
        version=version,
        files=sum(not report.left_out for report in reports),
        lines=sum(_count_lines(report.path) for report in reports if not report.left_out),
        seconds=seconds,
        hits=_hits(package, version, folder, reports),
        troubles=tuple(
            _trouble(package, version, folder, failure)
            for report in reports
            for failure in report.failures
        ),
    )


def check_with_all_rules(folder: Path) -> Iterable[Report]:
    """What every rule, those in preview included, says about the project in `folder`."""
    from deepperf.check.paths import check_paths
    from deepperf.config.options import Options

    options = Options(preview=True, level=Level.NOTE, jobs=1, cache=False)
    return check_paths([folder], options)


def _hits(package: str, version: str, folder: Path, reports: Sequence[Report]) -> tuple[Hit, ...]:
    hits: list[Hit] = []
    for report in reports:
        seen: Counter[tuple[str, str]] = Counter()
        for finding in sorted(report.findings):
            text = finding.source_line.strip()
            seen[finding.rule, text] += 1
            hits.append(
                Hit(
                    package=package,
                    version=version,
                    path=_relative(finding.location.path, folder),
                    line=finding.location.line,
                    column=finding.location.column,
                    rule=finding.rule,
                    level=finding.level.name.lower(),
                    role=finding.role.value,
                    message=finding.message,
                    text=text,
                    occurrence=seen[finding.rule, text],
                    steps=_steps(finding, folder),
                )
            )
    return tuple(hits)


def _steps(finding: Finding, folder: Path) -> tuple[str, ...]:
    return tuple(
        f"{_relative(step.location.path, folder)}:{step.location.line}: {step.text}"
        for step in finding.path
    )


def _trouble(package: str, version: str, folder: Path, failure: Failure) -> Trouble:
    where = failure.location
    return Trouble(
        package, version, _relative(where.path, folder), where.line, failure.message,
        failure.internal,
    )  # fmt: skip


def _relative(path: str, folder: Path) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _count_lines(path: str) -> int:
    try:
        return Path(path).read_bytes().count(b"\n")
    except OSError:
        return 0


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
