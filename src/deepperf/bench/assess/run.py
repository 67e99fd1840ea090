"""Asks approaches about problems, stores what they say, and shows what came of it."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from deepperf.bench.assess import table
from deepperf.bench.assess.approach import Approach, Setting, Verdict, approaches
from deepperf.bench.assess.stored import (
    PAPER,
    Answer,
    Entry,
    StoredError,
    answers,
    path_of,
    read_entries,
    read_paper,
    write_entries,
)
from deepperf.bench.bar import bar
from deepperf.bench.launch import starting
from deepperf.bench.machine import this_machine
from deepperf.bench.problems import Problem, ProblemError, find_problems, pair_of, read_problem
from deepperf.bench.recall import RECALL, read_recall, sibling_of, write_recall
from deepperf.rules.evidence import digest


def assess(
    folders: Sequence[Path], asked: Sequence[Approach], output: Path, original: Path | None
) -> bool:
    """Ask the approaches about the problems in `folders`; whether all could be asked.

    Raw outputs, tables and a figure go to `output`, which keeps what earlier runs stored: the
    tables are about all problems that lie beside those asked about.
    """
    console = Console(highlight=False, soft_wrap=True)
    complaints: list[str] = []
    root = folders[0].parent
    known = _readable(find_problems(root), complaints)
    problems = [problem for problem in known if problem.folder in folders]
    with starting() as start:
        setting = Setting(start, 2, original)
        for approach in asked:
            if reason := approach.obstacle(setting):
                console.print(f"{approach.name}: not asked: {reason}", markup=False)
                continue
            try:
                _ask(approach, problems, known, setting, output, console)
            except StoredError as error:
                complaints.append(str(error))
    try:
        _judge_again(output, known)
        given = answers(output, approaches().values(), known)
        if given:
            console.print(_counts(given))
            for path in _write(given, root, output):
                console.print(f"wrote {path}", markup=False)
    except StoredError as error:
        complaints.append(str(error))
    for complaint in complaints:
        print(f"deepperf: {complaint}", file=sys.stderr)
    return not complaints


def _readable(folders: Sequence[Path], complaints: list[str]) -> list[Problem]:
    """The problems in `folders`; adds to `complaints` what is wrong with others."""
    problems = []
    for folder in folders:
        try:
            problems.append(read_problem(folder))
        except ProblemError as error:
            complaints.append(str(error))
    return problems


def _ask(
    approach: Approach,
    problems: Sequence[Problem],
    known: Sequence[Problem],
    setting: Setting,
    output: Path,
    console: Console,
) -> None:
    machine, version = this_machine(), approach.version()
    date = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    path = path_of(output, approach)
    entries = read_entries(path)
    with bar(console, "problems") as progress:
        task = progress.add_task(approach.title, total=len(problems))
        for problem, raw in approach.ask(problems, setting):
            place = f"{machine.cpu} ({machine.cores} cores)"
            entries[problem.id] = Entry(digest(pair_of(problem)), version, date, place, raw)
            write_entries(path, approach, entries, known)
            progress.advance(task)


def _judge_again(output: Path, known: Sequence[Problem]) -> None:
    """Write the verdicts anew: what a problem's file says of it may have changed since."""
    for approach in approaches().values():
        path = path_of(output, approach)
        if entries := read_entries(path):
            write_entries(path, approach, entries, known)


def _counts(given: Sequence[Answer]) -> Table:
    shown = Table("approach", *(verdict.value for verdict in Verdict), box=SIMPLE)
    titles = dict.fromkeys(answer.approach.title for answer in given)
    for title in titles:
        verdicts = [one.judgement.verdict for one in given if one.approach.title == title]
        shown.add_row(title, *(str(verdicts.count(verdict) or "") for verdict in Verdict))
    return shown


def _write(given: Sequence[Answer], problems: Path, output: Path) -> tuple[Path, ...]:
    import importlib.util

    paper = read_paper(problems / PAPER)
    data, page = output / "assess.json", output / "assess.md"
    data.write_text(json.dumps(table.as_json(given, paper), indent=2) + "\n", encoding="utf-8")
    page.write_text(page_of(given, problems), encoding="utf-8")
    written = [data, page]
    own = {one.problem.id: one for one in given if one.approach.name == table.OWN}
    if own:
        written.append(_remember(own, problems / RECALL))
    if importlib.util.find_spec("matplotlib"):
        from deepperf.bench.assess.figure import draw

        written += draw(given, paper, output, "assess")
    return tuple(written)


def _remember(own: dict[str, Answer], path: Path) -> Path:
    """What is found now, and what was found before where it was not asked about."""
    found = {
        name
        for name, answer in own.items()
        if answer.problem.rules and sibling_of(answer.problem, answer.entry.raw).complete
    }
    write_recall(path, found | (read_recall(path) - own.keys()))
    return path


def page_of(given: Sequence[Answer], problems: Path) -> str:
    """A page of Markdown with all tables. Raises StoredError."""
    paper = read_paper(problems / PAPER)
    parts = (
        "# What approaches say of the problems",
        (
            "How each approach is asked and by which rule it is judged stands at the top of its "
            "module in `src/deepperf/bench/assess/`. The raw outputs lie beside this page."
        ),
        table.counts(given),
        (
            "With how many of the problems to which it applies an approach helps: it names the "
            "cause, or takes away some of what the problem costs. The paper's columns are its "
            "authors' own codes."
        ),
        table.by_cause(given, paper),
        table.own_sentences(given),
        table.by_problem(given, paper),
    )
    return "\n\n".join(part for part in parts if part) + "\n"
