"""What was found before is known again: a baseline's findings, through a hundred commits."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.check.small_rules import SLOW, selection

from deepperf.check.known import Entry, entry_of, read_baseline, with_known, write_baseline
from deepperf.check.run import check_file
from deepperf.config.options import WrongUse
from deepperf.records import Finding, Level, Location, Report, Role
from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source

SLOW_LINES = (
    "total = slow({v}, 'mean')",
    "slow({v}[0])",
    "return slow({v} + 1)",
    "for item in slow({v}): print(item)",
)
OTHERS = ("# a comment", "", "count = len({v})", "print('{{}}'.format({v}))")


@dataclass
class Function:
    """A function of a program that is written again and again."""

    name: str
    variable: str
    lines: list[str]
    wide: set[int] = field(default_factory=set)

    def text(self) -> str:
        rows = [f"def {self.name}({self.variable}):"]
        for number, line in enumerate((*self.lines, "pass")):
            row = line.format(v=self.variable)
            if number in self.wide and "slow(" in row:
                row = row.replace("slow(", "slow(\n            ").replace("'", '"')
            rows += (f"    {part}" if part.strip() else "" for part in row.split("\n"))
        return "\n".join(rows)


Program = dict[str, list[Function]]


def made() -> Program:
    dice = random.Random(7)
    return {
        f"part{number}.py": [
            Function(
                f"work{number}{letter}",
                "x",
                [dice.choice((*SLOW_LINES, *OTHERS)) for _ in range(6)],
            )
            for letter in "abc"
        ]
        for number in range(4)
    }


def committed(program: Program, dice: random.Random) -> str:
    """Change the program as people do between two commits, and say how."""
    path = dice.choice(sorted(program))
    function = dice.choice(program[path])
    number = dice.randrange(10_000)
    kind = dice.choice(("order", "move", "variable", "name", "format", "insert", "add", "file"))
    if kind == "order":
        dice.shuffle(program[path])
    elif kind == "move" and len(program[path]) > 1:
        program[path].remove(function)
        program[dice.choice(sorted(program))].append(function)
    elif kind == "variable":
        function.variable = f"v{number}"
    elif kind == "name":
        function.name = f"name{number}"
    elif kind == "format":
        function.wide ^= {dice.randrange(len(function.lines))}
    elif kind == "insert":
        function.lines.insert(dice.randrange(len(function.lines)), dice.choice(OTHERS))
    elif kind == "add":
        program[path].insert(0, Function(f"new{number}", "y", list(OTHERS)))
    elif kind == "file":
        program[f"file{number}.py"] = program.pop(path)
    return kind


def reports_of(program: Program) -> tuple[Report, ...]:
    texts = {
        path: "import tensorflow as tf\n" + "\n\n".join(function.text() for function in functions)
        for path, functions in program.items()
    }
    project = Project({path: Source(path, text, Role.SOURCE) for path, text in texts.items()})
    return tuple(check_file(project, path, selection(SLOW)).report for path in sorted(texts))


def entries_of(reports: tuple[Report, ...]) -> tuple[Entry, ...]:
    return tuple(entry_of(finding) for report in reports for finding in report.findings)


def told(reports: tuple[Report, ...]) -> list[Finding]:
    return [finding for report in reports for finding in report.findings]


@pytest.mark.parametrize("seed", range(2))
def test_over_a_hundred_commits_nothing_opens_again_and_nothing_is_lost(seed: int) -> None:
    dice, program = random.Random(seed), made()
    entries = entries_of(reports_of(program))
    assert len(entries) > 20

    kinds = set()
    for _ in range(100):
        kinds.add(committed(program, dice))
        now = reports_of(program)
        judged = with_known(now, entries)

        assert told(judged) == [], "opened again"
        assert sum(len(report.known) for report in judged) == len(entries), "lost"
        entries = entries_of(now)
    assert len(kinds) == 8


def test_of_many_commits_a_new_finding_is_told_and_nothing_else() -> None:
    dice, program = random.Random(0), made()
    for number in range(30):
        entries = entries_of(reports_of(program))
        committed(program, dice)
        function = dice.choice(program[dice.choice(sorted(program))])
        function.lines.insert(0, f"slow({{v}}, {number})")
        judged = with_known(reports_of(program), entries)

        assert [f"{number}" in finding.message for finding in told(judged)] == [True]
        function.lines.pop(0)


def finding(path: str, fingerprint: str = "f", statement: str = "s") -> Finding:
    place = Location(path, 1, 1, 1, 2)
    whole = Finding(place, "rule", "message", "", Level.WARNING, Role.SOURCE, "")
    return replace(whole, fingerprint=fingerprint, statement=statement)


def test_an_entry_stands_for_one_finding() -> None:
    reports = (Report("a.py", (finding("a.py"),)), Report("b.py", (finding("b.py"),)))
    first, second = with_known(reports, [entry_of(finding("b.py"))])

    assert (len(first.findings), len(second.findings)) == (1, 0)


def test_an_entry_is_not_wasted_on_another_finding_while_its_own_is_hidden() -> None:
    report = Report("a.py", (finding("a.py", "new"),), hidden=(finding("a.py", "old"),))
    (judged,) = with_known([report], [entry_of(finding("a.py", "old"))])

    assert judged.findings == report.findings


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_baseline_is_read_from_any_folder(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_baseline(Path("known.json"), [finding("sub/a.py"), finding("b.py", "g")])
    monkeypatch.chdir(in_folder.parent)
    inside = in_folder.name
    entries = read_baseline(in_folder / "known.json")

    assert [entry.path for entry in entries] == [f"{inside}/b.py", f"{inside}/sub/a.py"]
    assert entries[0].fingerprint == "g"


def test_a_baseline_has_a_line_for_each_finding(in_folder: Path) -> None:
    write_baseline(Path("known.json"), [finding("a.py"), finding("b.py")])
    text = Path("known.json").read_text(encoding="ascii")

    assert sum('"rule"' in line for line in text.splitlines()) == 2
    assert json.loads(text)["version"] == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "no baseline; write one"),
        ('{"version": 2, "findings": []}', "of version 2, not 1"),
        ('{"version": 1, "findings": [{"path": 1}]}', "no baseline"),
        ("[]", "no baseline"),
    ],
)
def test_what_is_no_baseline_is_refused(in_folder: Path, content: str, said: str) -> None:
    file = in_folder / "known.json"
    file.write_text(content, encoding="utf-8")

    with pytest.raises(WrongUse, match=said):
        read_baseline(file)


def test_a_baseline_that_is_missing_is_told() -> None:
    with pytest.raises(WrongUse, match=r"nowhere\.json: no such file"):
        read_baseline(Path("nowhere.json"))
