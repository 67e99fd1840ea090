"""The alarms of static tools, and the rule by which they are judged.

1. An alarm that the repaired program raises as often, in a line of the same text, does not
   speak about the problem.
2. Of the rest, an alarm in a statement with a marked line whose code is about the problem's
   cause names cause and line; about the cause but elsewhere, the cause.
3. An alarm in a marked statement about something else points at the place: symptom only.
4. All other alarms say nothing about the problem.

What a code is about is said in the words of deepperf's rules: the problem's own file says
which of them would name its cause.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepperf.bench.assess.approach import Judgement, Raw, Verdict
from deepperf.bench.problems import Problem, marked_lines, pair_of
from deepperf.records import SourceFile

LONGEST_SECONDS = 900
About = Mapping[str, frozenset[str]]
Place = tuple[str, int]
_ALARM = re.compile(r"(?P<path>\S+?\.py):(?P<line>[0-9]+):[0-9]+:? (?P<code>\S+) (?P<message>.*)")


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm; `path` is relative to the problem's folder."""

    path: str
    line: int
    code: str
    message: str


def judge_alarms(
    problem: Problem, buggy: Iterable[Alarm], fixed: Iterable[Alarm], about: About
) -> Judgement:
    """The verdict on what a static tool said of both sides, by the rule above."""
    fresh = tuple(_only_in_buggy(problem, buggy, fixed))
    statements = _marked_statements(problem.buggy)
    places = frozenset().union(*statements.values())
    wanted = frozenset(problem.rules)
    naming = [one for one in fresh if about.get(one.code, frozenset()) & wanted]
    on_place = [one for one in fresh if (one.path, one.line) in places]
    both = [one for one in naming if one in on_place]
    if both:
        lines = {(one.path, one.line) for one in both}
        reached = sum(bool(lines & statement) for statement in statements.values())
        reason = f"{both[0].code} at {reached} of {len(statements)} places"
        return Judgement(Verdict.LINE, reason)
    if naming:
        return Judgement(Verdict.CAUSE, f"{naming[0].code} at line {naming[0].line}")
    if on_place:
        return Judgement(Verdict.SYMPTOM, f"{on_place[0].code}: {on_place[0].message}")
    return Judgement(Verdict.SILENT, f"{len(fresh)} alarms about other things" if fresh else "")


def alarms_in(lines: Iterable[str]) -> Iterator[Alarm]:
    """The alarms in lines such as `buggy.py:3:1: PERF401 a message`."""
    for line in lines:
        if match := _ALARM.match(line):
            path = match["path"].replace("\\", "/").rpartition("/")[2]
            yield Alarm(path, int(match["line"]), match["code"], match["message"].strip())


def said_of_each(
    problems: Sequence[Problem], command: Sequence[str], cwd: Path | None = None
) -> Iterator[tuple[Problem, Raw]]:
    """What `command` says, on standard output, of copies of all problems' programs at once.

    Raw outputs hold under `buggy` and `fixed` the lines that name a file of that side.
    """
    with tempfile.TemporaryDirectory(prefix="deepperf-") as temporary:
        root = Path(temporary).resolve()
        for problem in problems:
            folder = root / problem.id
            folder.mkdir()
            pair = pair_of(problem)
            for file in (*pair.bad, *pair.good):
                (folder / file.path).write_text(file.text, encoding="utf-8")
        output = _output(
            [*command, *([str(root)] if cwd else [problem.id for problem in problems])],
            cwd or root,
        )
        lines = output.replace(f"{root}/", "").splitlines()
        for problem in problems:
            yield problem, raw_of(problem, lines)


def raw_of(problem: Problem, lines: Iterable[str]) -> Raw:
    """Those of `lines` that name a file of the problem, by side."""
    own = [line for line in lines if f"{problem.id}/" in line]
    return {
        side: [
            line.replace(f"{problem.id}/", "")
            for line in own
            if any(f"{problem.id}/{file.path}" in line for file in files)
        ]
        for side, files in (("buggy", problem.buggy), ("fixed", problem.fixed))
    }


def program(name: str) -> str:
    """The path of a program beside this interpreter, or found elsewhere; "" if there is none."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name) or ""


def version_of(name: str) -> str:
    """The version that a Python distribution has, "" if it is not installed."""
    import importlib.metadata

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _output(command: Sequence[str], cwd: Path) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LONGEST_SECONDS,
        check=False,
    )
    return done.stdout


def _only_in_buggy(
    problem: Problem, buggy: Iterable[Alarm], fixed: Iterable[Alarm]
) -> Iterator[Alarm]:
    texts = {
        file.path: file.text.split("\n") for file in (*pair_of(problem).bad, *pair_of(problem).good)
    }

    def identity(alarm: Alarm) -> tuple[str, str]:
        lines = texts.get(alarm.path, [])
        text = lines[alarm.line - 1] if 0 < alarm.line <= len(lines) else ""
        return alarm.code, text.strip()

    old = Counter(map(identity, fixed))
    for alarm in buggy:
        if old[identity(alarm)] > 0:
            old[identity(alarm)] -= 1
        else:
            yield alarm


def _marked_statements(files: Sequence[SourceFile]) -> Mapping[Place, frozenset[Place]]:
    """For each mark the lines of the statement that it is in; of a loop, those of its head."""
    found: dict[Place, frozenset[Place]] = {}
    for file in files:
        statements = tuple(_statements(ast.parse(file.text)))
        for path, line in marked_lines([file]):
            around = [lines for lines in statements if lines[0] <= line <= lines[1]]
            first, last = max(around, default=(line, line))
            found[path, line] = frozenset((path, number) for number in range(first, last + 1))
    return found


def _statements(tree: ast.Module) -> Iterator[tuple[int, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            yield node.lineno, max(node.lineno, last)
