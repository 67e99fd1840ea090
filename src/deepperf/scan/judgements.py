"""What people said of hits they read: true, arguable or false, and why.

A judgement file is TOML, named by its date. Each `[[hit]]` names package, version, path,
line, rule and the source line, and gives `verdict` and `why`; a hit whose verdict is empty
is not judged yet. Of two judgements on one hit, that of the later file holds.
"""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from deepperf.scan.corpus import CorpusError
from deepperf.scan.package import Hit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Key = tuple[str, str, str, int, str]

_TEXTS = ("package", "version", "path", "rule", "text", "verdict", "why")


class Verdict(enum.Enum):
    """What reading a hit in its source showed."""

    TRUE = "true"
    ARGUABLE = "arguable"
    FALSE = "false"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One hit, read by a person."""

    package: str
    version: str
    path: str
    line: int
    rule: str
    text: str
    verdict: Verdict
    why: str

    @property
    def key(self) -> Key:
        return (self.package, self.version, self.path, self.line, self.rule)


@dataclass(frozen=True, slots=True)
class Precision:
    """How right a rule is, over judged hits that it still reports.

    `mended` counts hits judged false, `missed` hits judged true, that it reports no more.
    """

    rule: str
    hits: int
    true: int
    arguable: int
    false: int
    mended: int
    missed: int

    @property
    def judged(self) -> int:
        return self.true + self.arguable + self.false

    @property
    def share_true(self) -> float | None:
        """True hits per judged hit, None where nothing is judged."""
        return self.true / self.judged if self.judged else None


def load_judgements(paths: Iterable[Path]) -> tuple[Judgement, ...]:
    """The judgements of files, by key; a later file name outranks an earlier one.

    Raises `CorpusError` naming the file and the entry that is not right.
    """
    held: dict[Key, Judgement] = {}
    for path in sorted(paths, key=lambda path: path.name):
        for judgement in _read(path):
            held[judgement.key] = judgement
    return tuple(held[key] for key in sorted(held))


def _read(path: Path) -> list[Judgement]:
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("hit", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    return [
        _judgement(entry, f"{path}: hit {number}")
        for number, entry in enumerate(entries, 1)
        if entry.get("verdict") != ""
    ]


def _judgement(entry: dict[str, Any], place: str) -> Judgement:
    for key in sorted(entry.keys() ^ {*_TEXTS, "line"}):
        raise CorpusError(f"{place}: {'unknown' if key in entry else 'missing'} key '{key}'")
    for key in _TEXTS:
        if not isinstance(entry[key], str):
            raise CorpusError(f"{place}: '{key}' must be a string")
    if type(entry["line"]) is not int:
        raise CorpusError(f"{place}: 'line' must be a number")
    if entry["verdict"] not in {verdict.value for verdict in Verdict}:
        raise CorpusError(
            f"{place}: 'verdict' is {entry['verdict']!r}, not true, arguable or false"
        )
    if not entry["why"].strip():
        raise CorpusError(f"{place}: 'why' is empty")
    return Judgement(**{**entry, "verdict": Verdict(entry["verdict"])})


def judgement_rows(folder: Path) -> Iterator[bytes]:
    """Lines of JSON with all judgements of a folder's files."""
    for one in load_judgements(folder.glob("*.toml")):
        yield msgspec.json.encode(one) + b"\n"


def questions(hits: Iterable[Hit]) -> str:
    """A judgement file for `hits` whose verdicts wait to be filled in."""
    return "\n".join(_question(hit) for hit in hits)


def _question(hit: Hit) -> str:
    # A JSON string is a TOML basic string, but for the delete character.
    quoted = {
        key: json.dumps(getattr(hit, key), ensure_ascii=False).replace("\x7f", "\\u007f")
        for key in ("package", "version", "path", "rule", "text")
    }
    return (
        "[[hit]]\n"
        f"package = {quoted['package']}\n"
        f"version = {quoted['version']}\n"
        f"path = {quoted['path']}\n"
        f"line = {hit.line}\n"
        f"rule = {quoted['rule']}\n"
        f"text = {quoted['text']}\n"
        'verdict = ""\n'
        'why = ""\n'
    )


def precision(judgements: Sequence[Judgement], hits: Sequence[Hit] | None) -> tuple[Precision, ...]:
    """How right each rule is, by rule; without `hits` every judged hit counts as reported."""
    reported = (
        {judgement.key for judgement in judgements}
        if hits is None
        else {(hit.package, hit.version, hit.path, hit.line, hit.rule) for hit in hits}
    )
    rules = {judgement.rule for judgement in judgements} | {hit.rule for hit in hits or ()}
    return tuple(_precision(rule, judgements, hits, reported) for rule in sorted(rules))


def _precision(
    rule: str, judgements: Sequence[Judgement], hits: Sequence[Hit] | None, reported: set[Key]
) -> Precision:
    own = [judgement for judgement in judgements if judgement.rule == rule]
    still = [judgement.verdict for judgement in own if judgement.key in reported]
    gone = [judgement.verdict for judgement in own if judgement.key not in reported]
    return Precision(
        rule=rule,
        hits=len(own) if hits is None else sum(hit.rule == rule for hit in hits),
        true=still.count(Verdict.TRUE),
        arguable=still.count(Verdict.ARGUABLE),
        false=still.count(Verdict.FALSE),
        mended=gone.count(Verdict.FALSE),
        missed=gone.count(Verdict.TRUE),
    )
