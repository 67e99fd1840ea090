"""Whether the warnings of a rule are worth it: what readers said of those that it still gives."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from deepperf.records import Level
from deepperf.rules.registry import load_rules

FOLDER = Path("evaluation/modern")
LEAST = 6
"""Verdicts from which on the share of those that are true or false decides."""
MOST_WRONG = 0.1
LEAST_WORTH = 0.6
VERDICTS = ("true", "arguable", "false")
WARNING = "warning"
UNKNOWN = ""


class Judged(NamedTuple):
    """A finding that was judged, its level then, and its level by the rules of a later day."""

    rule: str
    place: tuple[str, str, str]  # repository, file and line
    verdict: str
    judged: str
    now: str  # UNKNOWN where its repository was not at hand since
    date: str


class Record(NamedTuple):
    """What readers said of a rule's warnings: when they read them, and of those still given."""

    rule: str
    judged: Counter[str]
    still: Counter[str]

    @property
    def is_worth_warning(self) -> bool:
        """Whether the rule may warn: enough of it was worth a change, and little was wrong.

        Of fewer verdicts than decide, one that is true is enough.
        """
        count = self.still.total()
        if count < LEAST:
            return (self.judged | self.still)["true"] > 0
        wrong = self.still["false"] / count
        return self.still["true"] / count >= LEAST_WORTH and wrong <= MOST_WRONG


def read_judged(folder: Path) -> list[Judged]:
    """All findings of `judged-*.csv`, with their newest level in `standing-*.json`, each once.

    What was a warning then is a note where the rule gives nothing else any more.
    """
    notes = {one.rule.name for one in load_rules() if one.rule.level is Level.NOTE}
    levels: dict[tuple[str, ...], tuple[str, str]] = {}
    for path in sorted(folder.glob("standing-*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        for row in result["rows"]:
            one = dict(zip(result["columns"], row, strict=True))
            key = (one["rule"], one["repository"], one["file"], one["line"])
            is_note = one["now"] == WARNING and one["rule"] in notes
            levels[key] = ("note" if is_note else one["now"], result["date"])
    found: dict[tuple[str, ...], Judged] = {}
    for path in sorted(folder.glob("judged-*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                place = (row["repository"].replace("/", "__"), row["file"], row["line"])
                key = (row["rule"], *place)
                now = levels.get(key, (UNKNOWN, ""))
                found[key] = Judged(row["rule"], place, row["verdict"], row["level"], *now)
    return list(found.values())


def records(found: Iterable[Judged]) -> list[Record]:
    """What was said of each rule of which a warning was judged, or is one by now.

    A line of a file that several repositories have a copy of counts once.
    """
    copies = {(one.rule, *_place(one)): one for one in found}
    judged: dict[str, Counter[str]] = {}
    still: dict[str, Counter[str]] = {}
    for one in copies.values():
        if one.judged == WARNING:
            judged.setdefault(one.rule, Counter())[one.verdict] += 1
        if one.now == WARNING:
            still.setdefault(one.rule, Counter())[one.verdict] += 1
    return [
        Record(rule, judged.get(rule, Counter()), still.get(rule, Counter()))
        for rule in sorted(judged.keys() | still.keys())
    ]


def _place(one: Judged) -> tuple[str, ...]:
    """A line of a file that may lie in several repositories: by its name and two folders above."""
    repository, file, line = one.place
    names = Path(file).parts
    return (*names[-3:], line) if len(names) > 2 else (repository, file, line)


def standing_table(root: Path) -> str:
    """What became of the findings that readers judged, and which rules may warn by that."""
    found = read_judged(root / FOLDER)
    known = [one for one in found if one.now != UNKNOWN]
    days = sorted(Counter(one.date for one in known).items(), reverse=True)
    told = "; ".join(f"{count} by the rules of {day}" for day, count in days)
    missing = len(found) - len(known)
    heads = ("rule", "warnings, as judged", "still warnings", "notes now", "silent now")
    rows = [
        f"Findings that were judged: {told}; not at hand since, and left out: {missing}.",
        "",
        f"| {' | '.join(heads)} |",
        "|---" * len(heads) + "|",
    ]
    for rule in [*sorted({one.rule for one in known}), ""]:
        own = [one for one in known if rule in ("", one.rule)]
        judged = [one for one in own if one.judged == WARNING]
        still = [one for one in own if one.now == WARNING]
        others = ([one for one in judged if one.now == now] for now in ("note", "silent"))
        if judged or still:
            cells = (rule or "all", *map(_counts, (judged, still, *others)))
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _counts(rows: Sequence[Judged]) -> str:
    counts = Counter(row.verdict for row in rows)
    return " / ".join(str(counts[verdict]) for verdict in VERDICTS)
