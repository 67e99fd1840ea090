"""The rules on whole programs that they were not developed on."""

from __future__ import annotations

import functools
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from deepperf import Finding, Options, check_paths
from deepperf.records import Level

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
MARK = re.compile(r"# (finding|note): ([a-z-]+(?:, [a-z-]+)*)\s*$")
REQUIRES = re.compile(r"# requires: (.+)")

RECALL = {
    "compiled-per-call": 0.85,
    "graph-growth": 0.9,
    "loop-invariant-op": 0.5,
    "map-before-batch": 0.9,
    "serial-map": 0.9,
    "session-per-step": 0.9,
}
"""The least share of marked lines that each rule must find."""
ALL = Options(preview=True, jobs=1, cache=False, level=Level.NOTE)
FIRST = replace(ALL, select=tuple(RECALL))
KINDS = ("finding", "note")
MIXED = "mixed"
"""The folder of programs that are about any rule, and on which all are tried."""


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A line of a program that a rule must find, or found; `kind` is "finding" or "note"."""

    file: str
    line: int
    rule: str
    kind: str = "finding"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules did on one program."""

    found: frozenset[Mark]
    missed: frozenset[Mark]
    false_alarms: frozenset[Mark]
    failures: tuple[str, ...] = ()


def programs() -> list[Path]:
    """Every file or folder right below the folder of a rule, or of mixed programs."""
    return sorted(
        program
        for folder in (*RECALL, MIXED)
        for program in (HERE / folder).iterdir()
        if program.name != "__pycache__"
    )


def name_of(program: Path) -> str:
    return program.relative_to(HERE).as_posix()


def sources(file: Path) -> Iterator[tuple[int, str]]:
    """The text of a module as cell 0, or the code cells of a notebook, counted from 1."""
    if file.suffix == ".py":
        yield 0, file.read_text("utf-8")
    elif file.suffix == ".ipynb":
        cells = json.loads(file.read_text("utf-8"))["cells"]
        code = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        yield from enumerate(code, 1)


def place(file: str, cell: int) -> str:
    return f"{file}:cell {cell}" if cell else file


def marks(program: Path) -> frozenset[Mark]:
    files = [program] if program.is_file() else sorted(program.rglob("*.*"))
    root = program.parent if program.is_file() else program
    return frozenset(
        Mark(place(file.relative_to(root).as_posix(), cell), number, rule, match[1])
        for file in files
        for cell, text in sources(file)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := MARK.search(line))
        for rule in match[2].split(", ")
    )


@functools.cache
def rules_marked() -> tuple[str, ...]:
    """The rules for which the programs were read and marked: of younger ones they say nothing."""
    return tuple(sorted({mark.rule for program in programs() for mark in marks(program)}))


def as_project(program: Path, folder: Path) -> Path:
    """A copy of the program that stands alone, with what it requires."""
    project = folder / "project"
    if program.is_dir():
        shutil.copytree(program, project, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        project.mkdir(parents=True)
        shutil.copy(program, project)
        required = REQUIRES.match(program.read_text("utf-8"))
        (project / "requirements.txt").write_text(f"{required[1]}\n" if required else "", "utf-8")
    (project / "requirements.txt").touch()
    return project


def named_lines(finding: Finding, project: Path, kind: str) -> Iterator[Mark]:
    """The line of the finding, then the lines its path passes, and further places of its cause."""
    steps = (*finding.path, *finding.related)
    for location in (finding.location, *(step.location for step in steps)):
        file = (Path.cwd() / location.path).resolve().relative_to(project.resolve())
        yield Mark(place(file.as_posix(), location.cell), location.line, finding.rule, kind)


def check(program: Path, folder: Path, least: Level = Level.NOTE) -> Outcome:
    project = as_project(program, folder)
    is_mixed = program.parent.name == MIXED
    options = replace(ALL, select=rules_marked()) if is_mixed else FIRST
    reports = check_paths([project], replace(options, level=least))
    failures = tuple(failure.message for report in reports for failure in report.failures)
    due = set(marks(program))
    found: set[Mark] = set()
    elsewhere: list[list[Mark]] = []
    for report in reports:
        for finding in report.findings:
            kind = "note" if finding.level is Level.NOTE and not is_mixed else "finding"
            lines = list(named_lines(finding, project, kind))
            more = {replace(line, kind=other) for line in lines[1:] for other in KINDS}
            if lines[0] in due:
                found.add(lines[0])
            else:
                elsewhere.append(lines)
            if finding.related:
                found |= more & due
    false_alarms = set()
    for lines in elsewhere:
        passed = next((line for line in lines[1:] if line in due - found), None)
        if passed is not None:
            found.add(passed)
        elif lines[0].kind == "finding" and found.isdisjoint(lines):
            false_alarms.add(lines[0])
    return Outcome(frozenset(found), frozenset(due - found), frozenset(false_alarms), failures)


@functools.cache
def known_misses() -> dict[str, frozenset[Mark]]:
    entries = tomllib.loads((HERE / "known_misses.toml").read_text("utf-8")).get("miss", [])
    known: dict[str, frozenset[Mark]] = {}
    for entry in entries:
        assert entry["reason"].strip(), f"{entry['program']} is missed without a reason"
        file, _, line = entry["at"].rpartition(":")
        mark = Mark(file, int(line), entry["rule"])
        known[entry["program"]] = known.get(entry["program"], frozenset()) | {mark}
    return known


def lines_of(marked: frozenset[Mark]) -> list[str]:
    return [f"{mark.file}:{mark.line} {mark.rule}" for mark in sorted(marked)]


@pytest.mark.parametrize("program", programs(), ids=name_of)
def test_marked_lines_are_found_and_others_left_alone(program: Path, tmp_path: Path) -> None:
    outcome = check(program, tmp_path)
    known = known_misses().get(name_of(program), frozenset())
    assert outcome.failures == ()
    assert lines_of(outcome.false_alarms) == []
    missed = frozenset(replace(mark, kind="finding") for mark in outcome.missed)
    assert lines_of(missed - known) == []
    assert lines_of(known - missed) == [], "found by now: strike it from known_misses.toml"


@pytest.mark.parametrize("rule", RECALL)
def test_known_misses_leave_enough_that_a_rule_finds(rule: str) -> None:
    """What is found is what is marked and no known miss: the programs' own tests see to it."""
    marked = sum(mark.rule == rule for program in programs() for mark in marks(program))
    missed = sum(mark.rule == rule for known in known_misses().values() for mark in known)
    assert marked - missed >= RECALL[rule] * marked


def test_known_misses_name_programs_that_exist() -> None:
    assert known_misses().keys() <= {name_of(program) for program in programs()}


@pytest.mark.parametrize("rule", RECALL)
def test_each_rule_is_tried_on_programs_of_both_kinds(rule: str) -> None:
    tried = [program for program in programs() if program.parent.name == rule]
    with_finding = [program for program in tried if marks(program)]
    assert {mark.rule for program in with_finding for mark in marks(program)} == {rule}
    assert len(with_finding) >= 8
    assert len(tried) - len(with_finding) >= 10
    assert all(program.name.startswith("ok_") != bool(marks(program)) for program in tried)
