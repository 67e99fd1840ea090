"""What `deepperf check` says of problems: the marked lines it names, and false alarms."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepperf.bench.problems import Problem, marked_lines
from deepperf.check.paths import check_paths
from deepperf.records import Finding, SourceFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RECALL = "recall.toml"


@dataclass(frozen=True, slots=True)
class Named:
    """Of one side's marked lines, those that a rule which may name the cause has named.

    `other` are findings on lines without a mark.
    """

    marked: frozenset[tuple[str, int]]
    named: frozenset[tuple[str, int]]
    other: tuple[Finding, ...]

    @property
    def complete(self) -> bool:
        return self.marked == self.named


def findings_in(problem: Problem) -> Mapping[str, tuple[Finding, ...]]:
    """What the check finds by default in the problem's folder, by the file's name."""
    return {Path(report.path).name: report.findings for report in check_paths([problem.folder])}


def judged(
    problem: Problem, side: Iterable[SourceFile], findings: Mapping[str, Sequence[Finding]]
) -> Named:
    """What `findings` say of the files of one side."""
    files = tuple(side)
    marked = marked_lines(files)
    told = [(file.path, finding) for file in files for finding in findings.get(file.path, ())]
    named = frozenset(
        (path, finding.location.line) for path, finding in told if finding.rule in problem.rules
    )
    other = tuple(one for path, one in told if (path, one.location.line) not in marked)
    return Named(marked, named & marked, other)


def read_recall(path: Path) -> frozenset[str]:
    """The problems whose siblings were found when `path` was written. Raises OSError."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
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
