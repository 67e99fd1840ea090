"""What became of the hits that were judged: at which level today's rules report them, if at all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from deepperf.scan.corpus import CorpusError
from deepperf.scan.judgements import Judgement, Key, Verdict
from deepperf.scan.task import Hit, Scanned

GONE = "gone"
NOTE = "note"
VERDICTS = (Verdict.TRUE, Verdict.ARGUABLE, Verdict.FALSE)


@dataclass(frozen=True, slots=True, order=True)
class Standing:
    """One judged hit; `level` is the one at which it is reported now, or "gone"."""

    package: str
    version: str
    path: str
    line: int
    rule: str
    level: str

    @property
    def key(self) -> Key:
        return (self.package, self.version, self.path, self.line, self.rule)


def standings(judgements: Iterable[Judgement], runs: Iterable[Scanned]) -> tuple[Standing, ...]:
    """What became of the judged hits in the packages of these runs."""
    hits: dict[Key, Hit] = {}
    scanned = set()
    for result in runs:
        scanned.add((result.package, result.version))
        for hit in result.hits:
            hits[hit.package, hit.version, hit.path, hit.line, hit.rule] = hit
    return tuple(
        Standing(*judged.key, hits[judged.key].level if judged.key in hits else GONE)
        for judged in sorted(judgements, key=lambda judged: judged.key)
        if (judged.package, judged.version) in scanned
    )


def write_standings(found: Sequence[Standing], path: Path, date: str) -> None:
    """Write them to a file, one to a line. Raises OSError."""
    rows = ",\n".join(json.dumps(asdict(one)) for one in sorted(found))
    path.write_text(f'{{"date": "{date}", "standings": [\n{rows}\n]}}\n', encoding="utf-8")


def read_standings(path: Path) -> tuple[str, Mapping[Key, str]]:
    """The date, and the level of each judged hit. Raises `CorpusError` naming the file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        listed = [Standing(**row) for row in data["standings"]]
        return str(data["date"]), {one.key: one.level for one in listed}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"{path}: no file of standings ({error})") from error


def table(judgements: Sequence[Judgement], levels: Mapping[Key, str]) -> str:
    """By rule, the verdicts on hits that are findings now, notes, and reported no more."""
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
    return "\n".join([*rows, _row("**all**", total)])


def _column(judged: Judgement, level: str) -> str:
    return level if level in (NOTE, GONE) else judged.verdict.value


def _row(name: str, counts: Counter[str]) -> str:
    columns = [*(verdict.value for verdict in VERDICTS), NOTE, GONE]
    cells = " | ".join(str(counts[column] or "") for column in columns)
    return f"| {name} | {counts.total()} | {cells} |"
