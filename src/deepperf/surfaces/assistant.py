"""`deepperf mcp`: what an assistant that writes code may ask, with answers of bounded size."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

from deepperf.config.options import Options, WrongUse
from deepperf.records import Finding, Level, Safety, Step
from deepperf.rules.registry import UnknownRule

MOST_FINDINGS = 50
MOST_STEPS = 12
MOST_CHARACTERS = 24_000
MOST_SECONDS = 3600.0
INSTRUCTIONS = """\
deepperf finds performance problems in deep-learning code. Ask `check` about files that you read or
changed; before you change code for speed, read `rule` for the finding's reason and limits. `run`
tells what a program really lost, `prove` which changes help, in a copy, with the same results, and
`compare` whether a second recording is better. A finding of `check` is about code that may be slow:
say so, and measure before you call anything faster.
"""


class Place(BaseModel, frozen=True):
    """A stretch of a file: lines and columns from 1, the end column exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    says: str = ""


class Found(BaseModel, frozen=True):
    """A finding. `chain` leads to it from what makes it costly, `related` are further places.

    `guarded` is the fix with what raises an error where the problem comes back, "" where there is
    none. `sketch` shows how to mend it where no fix can be mechanical.
    """

    rule: str
    level: str
    place: Place
    source_line: str
    message: str
    instead: str
    measured: str
    chain: list[Place]
    related: list[Place]
    fix: str
    fix_keeps_results: bool
    guarded: str
    sketch: str


class Answer(BaseModel, frozen=True):
    """Findings, the worst first; `left_out` counts those beyond the limit."""

    summary: str
    findings: list[Found]
    left_out: int
    failures: list[str]


class Ran(BaseModel, frozen=True):
    """What a command of deepperf said: its exit code, its report, and what was printed last."""

    exit_code: int
    report: dict[str, Any]
    printed: str = ""


class Text(BaseModel, frozen=True):
    """A text, cut off where it is too long."""

    text: str


def assistant_server() -> MCPServer:
    """A server with a tool for each thing that may be asked."""
    server = MCPServer("deepperf", instructions=INSTRUCTIONS)
    for tool in (check, rule, run, report, compare, prove):
        server.tool()(_telling_why(tool))
    return server


def _telling_why(tool: Callable[..., Any]) -> Callable[..., Any]:
    """A tool that says what it was asked wrongly; of other errors the protocol's library says
    nothing but that there was one.
    """

    @functools.wraps(tool)
    def told(*arguments: Any, **named: Any) -> Any:
        try:
            return tool(*arguments, **named)
        except (WrongUse, UnknownRule, OSError) as error:
            raise ToolError(str(error)) from None

    return told


def check(
    paths: list[str],
    level: Literal["note", "warning", "error"] = "warning",
    select: list[str] | None = None,
    limit: int = MOST_FINDINGS,
) -> Answer:
    """Find performance problems in Python files, folders and notebooks, without running them.

    `select` names rules, topics or causes; `level` is the lowest that is told.
    """
    from deepperf.check.paths import check_tree, merged, shown_reports, starts
    from deepperf.outputs.measured import measured
    from deepperf.outputs.results import Results, shown, summary
    from deepperf.rules.evidence import sentence

    def override(options: Options) -> Options:
        chosen = replace(options, level=Level[level.upper()], per_file_level={}, jobs=1)
        return replace(chosen, select=tuple(select)) if select else chosen

    trees = [check_tree(start) for start in starts(paths, override)]
    reports = merged((tree, shown_reports(tree)) for tree in trees)
    rules = {finding.rule for one in reports for finding in one.findings}
    evidence = measured(rules) if rules else {}

    def measured_of(finding: Finding) -> str:
        found = evidence.get(finding.rule)
        return sentence(found, finding.framework) if found else ""

    results = Results(reports, evidence)
    findings = shown(results)
    kept = findings[: max(0, min(limit, MOST_FINDINGS))]
    return Answer(
        summary=summary(results),
        findings=[_found(finding, measured_of(finding)) for finding in kept],
        left_out=len(findings) - len(kept),
        failures=[f"{f.location}: {f.message}" for one in reports for f in one.failures][
            :MOST_FINDINGS
        ],
    )


def _found(finding: Finding, measured: str) -> Found:
    fix = finding.fix
    return Found(
        rule=finding.rule,
        level=finding.level.name.lower(),
        place=_place(Step(finding.location, "")),
        source_line=finding.source_line.strip()[:200],
        message=finding.message,
        instead=finding.remedy,
        measured=measured,
        chain=[_place(step) for step in finding.path[:MOST_STEPS]],
        related=[_place(step) for step in finding.related[:MOST_STEPS]],
        fix=fix.title if fix else "",
        fix_keeps_results=fix is not None and fix.safety is Safety.SAFE,
        guarded=finding.guarded.title if finding.guarded else "",
        sketch=finding.sketch[:2_000],
    )


def _place(step: Step) -> Place:
    where = step.location
    path = f"{where.path}:cell {where.cell}" if where.cell else where.path
    return Place(
        path=path,
        line=where.line,
        column=where.column,
        end_line=where.end_line,
        end_column=where.end_column,
        says=step.text,
    )


def rule(name: str) -> Text:
    """The page of a rule: why it is slow, when it does not matter, slow and better code, and what
    was measured.
    """
    from deepperf.rules.evidence import read_evidence
    from deepperf.rules.page import read_page
    from deepperf.rules.registry import named
    from deepperf.rules.show import page_with_evidence

    files = named(name)
    page = page_with_evidence(read_page(files.page), read_evidence(files.evidence, files.name))
    return Text(text=_cut(page))


def run(command: list[str], folder: str = ".", record: str = "", seconds: float = 600) -> Ran:
    """Run a Python program, such as ["train.py", "--steps", "50"], watched, and say what it lost.

    `record` is a file to keep the run in, for `report` and `compare`. After `seconds` the program
    is interrupted; what it lost until then is told.
    """
    kept = ["--record", record] if record else []
    return _deepperf(["run", *kept, "--format", "json", "--report"], command, folder, seconds)


def prove(command: list[str], folder: str = ".", seconds: float = 300) -> Ran:
    """Try what may make a Python program faster, in a copy, and give the patch of what does with
    the same results. It runs the program many times.
    """
    words = ["prove", "--budget", f"{seconds:.0f}s", "--format", "json", "--output"]
    return _deepperf(words, command, folder, 2 * seconds + 600)


def report(recording: str) -> Ran:
    """What a recorded run lost, to which lines, and why."""
    from deepperf.dynamic.recorded import read_recording
    from deepperf.dynamic.report import Screen, report_on, shown
    from deepperf.dynamic.wishes import Wishes

    told = report_on(read_recording(Path(recording)), Wishes())
    return Ran(exit_code=0, report=bounded(json.loads(shown(told, "json", Screen()))))


def compare(before: str, after: str) -> Ran:
    """What got better and worse from one recorded run to another."""
    from deepperf.dynamic.recorded import read_recording
    from deepperf.prove.recordings import compared, plain

    rows = compared(read_recording(Path(before)), read_recording(Path(after)))
    return Ran(exit_code=0, report=bounded({"rows": [plain(row) for row in rows]}))


def _deepperf(words: Sequence[str], command: Sequence[str], folder: str, seconds: float) -> Ran:
    """What a command of ours says of a program, in a process of its own: standard output is the
    assistant's.
    """
    with tempfile.TemporaryDirectory(prefix="deepperf-") as scratch:
        file = os.path.join(scratch, "report.json")
        started = subprocess.Popen(
            [sys.executable, "-m", "deepperf", *words, file, "--", *command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        try:
            printed, _ = started.communicate(timeout=min(seconds, MOST_SECONDS))
        except subprocess.TimeoutExpired:
            started.send_signal(signal.SIGINT)
            printed = _last_words(started)
        try:
            told = json.loads(Path(file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            told = {}
        return Ran(exit_code=started.returncode, report=bounded(told), printed=printed[-2_000:])


def _last_words(interrupted: subprocess.Popen[str]) -> str:
    """What a command prints until it ends, which it may not do by itself."""
    try:
        printed, _ = interrupted.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        interrupted.kill()
        printed, _ = interrupted.communicate()
    return printed


def bounded(told: dict[str, Any]) -> dict[str, Any]:
    """A document in which the longest values are cut until it is short enough.

    Lists keep their first items, and `left_out` counts the others.
    """
    told = dict(told)
    left_out: dict[str, int] = {}
    while told and len(json.dumps(told)) > MOST_CHARACTERS:
        name = max(told, key=lambda key: len(json.dumps(told[key])))
        value = told[name]
        if isinstance(value, list) and len(value) > 1:
            left_out[name] = left_out.get(name, 0) + len(value) - len(value) // 2
            told[name] = value[: len(value) // 2]
        elif isinstance(value, str):
            told[name] = value[: len(value) // 2]
        else:
            told[name] = None
    return {**told, "left_out": left_out} if left_out else told


def _cut(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}\n\n(cut off: deepperf rule NAME shows all)\n"
