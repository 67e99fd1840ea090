"""What became of the hits that were judged: at which level later rules report them, if at all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path

from deepperf.scan.corpus import CorpusError
from deepperf.scan.judgements import Judgement, Key, Verdict
from deepperf.scan.package import Hit

GONE = "gone"
NOTE = "note"
VERDICTS = (Verdict.TRUE, Verdict.ARGUABLE, Verdict.FALSE)


@dataclass(frozen=True, slots=True, order=True)
class Standing:
    """One judged hit; `level` is the one at which the rules of `date` report it, or "gone"."""

    package: str
    version: str
    path: str
    line: int
    rule: str
    level: str
    date: str

    @property
    def key(self) -> Key:
        return (self.package, self.version, self.path, self.line, self.rule)


def standings(
    judgements: Iterable[Judgement],
    scanned: Set[tuple[str, str]],
    hits: Iterable[Hit],
    date: str,
    before: Iterable[Standing] = (),
) -> tuple[Standing, ...]:
    """What became of the judged hits in the packages, by name and version, that were scanned.

    Of packages that were not scanned now, what was known `before` still holds.
    """
    levels = {(hit.package, hit.version, hit.path, hit.line, hit.rule): hit.level for hit in hits}
    known = {one.key: one for one in before if (one.package, one.version) not in scanned}
    found: list[Standing] = []
    for judged in sorted(set(judgements), key=lambda judged: judged.key):
        if (judged.package, judged.version) in scanned:
            level = levels.get(judged.key, GONE)
            found.append(Standing(*judged.key, level, date))
        elif judged.key in known:
            found.append(known[judged.key])
    return tuple(dict.fromkeys(found))


def write_standings(found: Sequence[Standing], path: Path) -> None:
    """Write them to a file, one to a line. Raises OSError."""
    rows = ",\n".join(json.dumps(asdict(one)) for one in sorted(found))
    path.write_text(f'{{"standings": [\n{rows}\n]}}\n', encoding="utf-8")


def read_standings(path: Path) -> tuple[Standing, ...]:
    """What `write_standings` wrote. Raises `CorpusError` naming the file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Standing(**row) for row in data["standings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"{path}: no file of standings ({error})") from error


def table(judgements: Sequence[Judgement], found: Sequence[Standing]) -> str:
    """By rule, the verdicts on hits that are findings now, notes, and reported no more."""
    levels = {one.key: one.level for one in found}
    head = " | ".join(verdict.value for verdict in VERDICTS)
    rows = [
        f"| rule | read | {head} | as notes | gone |",
        "|---" * (4 + len(VERDICTS)) + "|",
    ]
    total: Counter[str] = Counter()
    for rule in sorted({judged.rule for judged in judgements}):
        own = [judged for judged in judgements if judged.rule == rule and judged.key in levels]
        counts = Counter(_column(judged, levels[judged.key]) for judged in own)
        total += counts
        rows.append(_row(f"`{rule}`", counts))
    return "\n".join([*rows, _row("**all**", total), "", _dated(found)])


def _dated(found: Sequence[Standing]) -> str:
    """How many hits the rules of each day were asked about."""
    days = sorted(Counter(one.date for one in found).items(), reverse=True)
    return "; ".join(f"{count:,} by the rules of {day}" for day, count in days) + "."


def _column(judged: Judgement, level: str) -> str:
    return level if level in (NOTE, GONE) else judged.verdict.value


def _row(name: str, counts: Counter[str]) -> str:
    columns = [*(verdict.value for verdict in VERDICTS), NOTE, GONE]
    cells = " | ".join(str(counts[column] or "") for column in columns)
    return f"| {name} | {counts.total()} | {cells} |"
