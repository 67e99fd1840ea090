"""What `check`, `run` and `prove` say of a program, each asked on its command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepperf.bench.machine import environment
from deepperf.bench.workloads.trial import copied
from deepperf.bench.workloads.workload import Problem, WorkloadError

FASTER = "faster"
LONGEST_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Said:
    """One finding, note or proof: what it is named, at which lines, and how loud.

    `promised` is the part of the time that it is said to cost or that mending saves, None
    where nothing is said.
    """

    name: str
    lines: tuple[int, ...]
    level: str
    message: str
    promised: float | None = None


def ask_check(program: Path) -> tuple[Said, ...]:
    """All findings of the source, notes too."""
    with copied(program) as copy:
        answer = _json(
            ["check", "--format", "json", "--level", "note", "--isolated", "--no-cache", copy.name],
            copy.parent,
        )
    return tuple(
        Said(one["rule"], (*_lines(one),), one["level"], one["message"])
        for one in answer["findings"]
    )


def _lines(finding: Mapping[str, Any]) -> Iterator[int]:
    """Its own line, those of its related places, and those that the call chain to it passes."""
    yield finding["location"]["line"]
    for step in (*finding["related"], *finding["path"]):
        yield step["location"]["line"]


def ask_run(program: Path, words: Sequence[str] = ()) -> tuple[Said, ...]:
    """Findings and notes of a watched run, with those of `check` that it saw cost time."""
    with copied(program) as copy:
        report = copy.with_name("report.json")
        command = ["run", "--format", "json", "--report", report.name, copy.name, *words]
        _started(command, copy.parent)
        if not report.exists():
            raise WorkloadError(f"{program}: `deepperf run` wrote no report")
        answer = json.loads(report.read_text(encoding="utf-8"))
        return tuple(_run_says(answer, copy.name))


def _run_says(answer: Mapping[str, Any], file: str) -> Iterator[Said]:
    for level, key in (("finding", "findings"), ("note", "notes")):
        for one in answer[key]:
            here = Path(one["file"]).name == file
            lines = (one["line"],) if here else ()
            name = one["rule"] or one["signal"]
            yield Said(name, lines, level, one["message"], one["share"])


def ask_prove(program: Path, words: Sequence[str], budget: str) -> tuple[Said, ...]:
    """What was tried on the program's command, and what each would save."""
    with copied(program) as copy:
        command = ["prove", "--format", "json", "--budget", budget, "--"]
        answer = _json([*command, "python", copy.name, *words], copy.parent)
    return tuple(
        Said(
            one["name"],
            tuple(one["lines"]),
            one["answer"],
            one["said"],
            one["gain"]["saved"] if one["gain"] else None,
        )
        for one in answer["candidates"]
    )


def told(problem: Problem, said: Sequence[Said]) -> Said | None:
    """What names the problem: by a name that may, at one of its lines; the loudest first."""
    hits = [one for one in said if one.name in problem.rules and problem.places & {*one.lines}]
    return max(hits, key=lambda one: one.level in ("warning", "finding", FASTER), default=None)


def at_line(problem: Problem, said: Sequence[Said]) -> Said | None:
    """What names a line that mending the problem changes, whatever it says of it."""
    return next((one for one in said if problem.changed & {*one.lines}), None)


def _json(words: Sequence[str], folder: Path) -> Any:
    done = _started(words, folder)
    try:
        return json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise WorkloadError(f"`deepperf {words[0]}`: {last}") from None


def _started(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [sys.executable, "-m", "deepperf", *words],
            cwd=folder,
            env=environment(1),
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise WorkloadError(f"`deepperf {words[0]}` ran too long") from None
