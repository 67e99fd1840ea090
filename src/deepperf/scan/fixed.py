"""Places in public repositories where maintainers mended what a rule is about.

`fixed.toml` names repository, commits, file, rule and lines. Each commit's Python files are taken
from a clone with `git archive`, checked as a project of their own, and thrown away again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deepperf.records import Finding
from deepperf.scan.clones import clone_of, files_of
from deepperf.scan.corpus import CorpusError
from deepperf.scan.task import Check

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_NEAR = 2
"""Lines that a statement of several may begin before the line that was changed."""


@dataclass(frozen=True, slots=True)
class Fix:
    """What maintainers changed, and the lines before the change that were slow.

    `silent` says why a rule is to say nothing of them; empty where it is to find them.
    """

    repository: str
    before: str
    after: str
    path: str
    rule: str
    lines: tuple[int, ...]
    change: str
    under: str = ""
    silent: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The lines of a fix that the rule named before, and how often it spoke in the file after."""

    fix: Fix
    named: tuple[int, ...]
    after: int


def read_fixes(path: Path) -> tuple[Fix, ...]:
    """The fixes of a file. Raises `CorpusError` where it cannot be understood."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["fix"]
        return tuple(Fix(**{**entry, "lines": tuple(entry["lines"])}) for entry in entries)
    except (OSError, KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from None


def tried(fixes: Sequence[Fix], clones: Path, check: Check) -> Iterable[Outcome]:
    """What the rules say before and after each fix; clones are named `owner+name`."""
    known: dict[tuple[str, str, str], tuple[Finding, ...]] = {}

    def findings(fix: Fix, commit: str) -> tuple[Finding, ...]:
        key = (fix.repository, commit, fix.under)
        if key not in known:
            known[key] = _findings(clone_of(clones, fix.repository), commit, fix.under, check)
        return tuple(
            one for one in known[key] if one.rule == fix.rule and one.location.path == fix.path
        )

    for fix in fixes:
        before = findings(fix, fix.before)
        named = tuple(line for line in fix.lines if any(_names(one, line) for one in before))
        yield Outcome(fix, named, len(findings(fix, fix.after)))


def _names(finding: Finding, line: int) -> bool:
    steps = (s.location for s in finding.path if s.location.path == finding.location.path)
    own = finding.location.line
    return own <= line <= own + _NEAR or any(place.line == line for place in steps)


def _findings(clone: Path, commit: str, under: str, check: Check) -> tuple[Finding, ...]:
    with files_of(clone, commit, under) as folder:
        return tuple(
            _moved(finding, folder) for report in check(folder) for finding in report.findings
        )


def _moved(finding: Finding, folder: Path) -> Finding:
    """The finding with paths that count from the project's folder."""

    def moved(path: str) -> str:
        return (Path.cwd() / path).resolve().relative_to(folder.resolve()).as_posix()

    steps = tuple(
        replace(step, location=replace(step.location, path=moved(step.location.path)))
        for step in finding.path
    )
    place = replace(finding.location, path=moved(finding.location.path))
    return replace(finding, location=place, path=steps)


def fixed_table(outcomes: Sequence[Outcome]) -> str:
    """Markdown: how many lines each rule named, and what it said of each fix."""
    lines = ["| rule | to find | found | to be silent on | silent | silent after the fix |"]
    lines += ["|---|---|---|---|---|---|"]
    for rule in sorted({one.fix.rule for one in outcomes}):
        due = [one for one in outcomes if one.fix.rule == rule and not one.fix.silent]
        other = [one for one in outcomes if one.fix.rule == rule and one.fix.silent]
        silent = sum(not one.after for one in (*due, *other))
        lines.append(
            f"| {rule} | {_all(due)} | {_named(due)} | {_all(other)} "
            f"| {_all(other) - _named(other)} | {silent} of {len(due) + len(other)} files |"
        )
    lines += [
        "",
        "| repository | before | file | rule | lines | found | after | what was changed |",
    ]
    lines += ["|---|---|---|---|---|---|---|---|"]
    lines += map(_row, outcomes)
    return "\n".join(lines) + "\n"


def _all(outcomes: Sequence[Outcome]) -> int:
    return sum(len(one.fix.lines) for one in outcomes)


def _named(outcomes: Sequence[Outcome]) -> int:
    return sum(len(one.named) for one in outcomes)


def _row(one: Outcome) -> str:
    fix = one.fix
    numbers = ", ".join(map(str, fix.lines))
    found = ", ".join(map(str, one.named)) or "none"
    note = f" (to be silent: {fix.silent})" if fix.silent else ""
    url = f"https://github.com/{fix.repository}"
    return (
        f"| [{fix.repository}]({url}) | [{fix.before[:7]}]({url}/tree/{fix.before}) "
        f"| `{fix.path}` | {fix.rule} | {numbers} | {found} | {one.after} "
        f"| {fix.change}{note} |"
    )
