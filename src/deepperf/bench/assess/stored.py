"""What approaches said, stored by approach, and judged anew whenever it is read."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepperf.bench.assess.approach import Approach, Judgement, Raw
from deepperf.bench.problems import Problem, pair_of
from deepperf.rules.evidence import digest

FORMAT = 1
PAPER = "paper.csv"
PAPER_COLUMNS = {
    "tf_profiler": "TensorFlow Profiler",
    "xla": "XLA",
    "tf_documentation": "TensorFlow documentation",
}


class StoredError(ValueError):
    """A stored file that cannot be read, in one line that names it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What one approach said of one problem: the raw output, of which version and when.

    `digest` is that of the programs asked about.
    """

    digest: str
    version: str
    date: str
    machine: str
    raw: Raw


@dataclass(frozen=True, slots=True)
class Answer:
    """The judgement on what an approach said of a problem as it is now."""

    problem: Problem
    approach: Approach
    entry: Entry
    judgement: Judgement


def path_of(folder: Path, approach: Approach) -> Path:
    """Where in `folder` an approach's raw outputs are kept."""
    return folder / f"{approach.name}.json"


def read_entries(path: Path) -> dict[str, Entry]:
    """What is stored at `path` by the problem's id, nothing without a file. Raises StoredError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise StoredError(f"{path}: cannot be read: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise StoredError(f"{path}: not of format {FORMAT}")
    try:
        return {name: _entry(value) for name, value in data["problems"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise StoredError(f"{path}: not complete: {error}") from None


def write_entries(
    path: Path, approach: Approach, entries: Mapping[str, Entry], problems: Iterable[Problem]
) -> None:
    """Write `entries`, with the verdicts on those of `problems`, whole or not at all."""
    known = {problem.id: problem for problem in problems}
    stored: dict[str, dict[str, Any]] = {}
    for name in sorted(entries):
        entry = entries[name]
        stored[name] = {
            "digest": entry.digest,
            "version": entry.version,
            "date": entry.date,
            "machine": entry.machine,
        }
        if name in known:
            judgement = approach.judge(known[name], entry.raw)
            stored[name] |= {"verdict": judgement.verdict.value, "reason": judgement.reason}
        stored[name]["raw"] = entry.raw
    data = {"format": FORMAT, "approach": approach.name, "problems": stored}
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".tmp")
    written.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    written.replace(path)


def answers(
    folder: Path, approaches: Iterable[Approach], problems: Sequence[Problem]
) -> tuple[Answer, ...]:
    """The judgements on all that is stored in `folder` about the programs as they are."""
    found = []
    for approach in approaches:
        entries = read_entries(path_of(folder, approach))
        for problem in problems:
            entry = entries.get(problem.id)
            if entry and entry.digest == digest(pair_of(problem)):
                found.append(Answer(problem, approach, entry, approach.judge(problem, entry.raw)))
    return tuple(found)


def read_paper(path: Path) -> dict[str, dict[str, int]]:
    """The paper's own codes by problem: -1 not applied, 0 did not help, 1 helped.

    Nothing without a file. Raises StoredError.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    try:
        return {
            row["problem"]: {column: int(row[column]) for column in PAPER_COLUMNS}
            for row in csv.DictReader(lines)
        }
    except (KeyError, TypeError, ValueError) as error:
        raise StoredError(f"{path}: not the paper's codes: {error}") from None


def _entry(value: Mapping[str, Any]) -> Entry:
    names = ("digest", "version", "date", "machine", "raw")
    return Entry(**{name: value[name] for name in names})
