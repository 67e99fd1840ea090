"""What `deepperf check` says of problems: the marked lines it names, and false alarms."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from deepperf.bench.problems import Problem, marked_lines
from deepperf.check.paths import check_tree, shown_reports, starts
from deepperf.records import Level, SourceFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RECALL = "recall.toml"
Findings = Mapping[str, Sequence[Sequence[int | str]]]
"""By the file's name: line, rule, message and level of each finding."""
_WARNING = Level.WARNING.name.lower()


@dataclass(frozen=True, slots=True)
class Named:
    """Of one side's marked lines, those that a rule which may name the cause has named.

    `other` are path, line and rule of what is found on lines without a mark: all warnings, and
    the notes of rules that may name the cause.
    """

    marked: frozenset[tuple[str, int]]
    named: frozenset[tuple[str, int]]
    other: tuple[tuple[str, int, str], ...]

    @property
    def complete(self) -> bool:
        return self.marked == self.named


def findings_in(problem: Problem) -> Findings:
    """What the check finds, notes too, in the problem's folder, which is a program of its own."""
    (start,) = starts([problem.folder], lambda options: replace(options, level=Level.NOTE))
    tree = check_tree(structs.replace(start, root=problem.folder))
    return {
        Path(report.path).name: [
            (finding.location.line, finding.rule, finding.message, finding.level.name.lower())
            for finding in report.findings
        ]
        for report in shown_reports(tree)
    }


def buggy_of(problem: Problem, findings: Findings) -> Named:
    """Of the buggy program's marked lines, those that are named."""
    return _judged(problem, problem.buggy, findings)


def fixed_of(problem: Problem, findings: Findings) -> Named:
    """The repaired program, which has no marked lines."""
    return _judged(problem, problem.fixed, findings)


def sibling_of(problem: Problem, findings: Findings) -> Named:
    """Of the sibling's marked lines, those that are named."""
    return _judged(problem, problem.sibling, findings)


def _judged(problem: Problem, files: Iterable[SourceFile], findings: Findings) -> Named:
    files = tuple(files)
    marked = marked_lines(files)
    told = [
        (file.path, int(line), str(rule), level)
        for file in files
        for line, rule, _, level in findings.get(file.path, ())
    ]
    named = frozenset((path, line) for path, line, rule, _ in told if rule in problem.rules)
    other = tuple(
        (path, line, rule)
        for path, line, rule, level in told
        if (path, line) not in marked and (level == _WARNING or rule in problem.rules)
    )
    return Named(marked, named & marked, other)


def read_recall(path: Path) -> frozenset[str]:
    """The problems whose siblings were found when `path` was written, none without it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return frozenset()
    return frozenset(table["siblings"])


def write_recall(path: Path, found: Iterable[str]) -> None:
    """Write which problems' siblings are found: what later versions must find, too."""
    lines = "".join(f'    "{name}",\n' for name in sorted(found))
    path.write_text(
        "# Problems whose siblings the check names on every marked line.\n"
        "# Written by `deepperf bench assess`; what is here stays found.\n"
        f"siblings = [\n{lines}]\n",
        encoding="utf-8",
    )
