"""The labelled problems of the study, as they stand in `problems.csv`."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deepperf.config.options import WrongUse
from deepperf.taxonomy.terms import Codebook, load_codebook

COLUMNS = (
    "id",
    "created",
    "summary",
    "introduced",
    "exposed",
    "symptoms",
    "cause",
    "benchmark",
    "rules",
)


PROBLEMS = Path(__file__).with_name("problems.csv")


class StudyError(WrongUse):
    """Data that cannot be used, in one line that names the file and the line."""


@dataclass(frozen=True, slots=True)
class StudiedProblem:
    """One labelled problem.

    `id` is the post's number, with a suffix where a post holds several problems; labels are
    ids of the codebook, the first symptom being the main one; `benchmark` is the folder of its
    program, "" where it has none; `rules` are the names of the rules for its kind of problem.
    """

    id: str
    created: datetime.date
    summary: str
    introduced: str
    exposed: str
    symptoms: tuple[str, ...]
    cause: str
    benchmark: str = ""
    rules: tuple[str, ...] = ()

    @property
    def post(self) -> str:
        return self.id.partition("-")[0]

    @property
    def symptom(self) -> str:
        """The main symptom."""
        return self.symptoms[0]


def read_study(path: Path = PROBLEMS) -> tuple[StudiedProblem, ...]:
    """The problems in a CSV file. Raises `StudyError` for the first row that is wrong."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise StudyError(f"{path}: the columns must be {', '.join(COLUMNS)}")
            book = load_codebook()
            problems = [_problem(row, f"{path}:{reader.line_num}", book) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise StudyError(f"{path}: cannot be read: {reason}") from None
    if twice := _repeated(problem.id for problem in problems):
        raise StudyError(f"{path}: {twice} stands there twice")
    return tuple(problems)


def _problem(row: dict[str, str], place: str, book: Codebook) -> StudiedProblem:
    if None in row or None in row.values():
        raise StudyError(f"{place}: {len(COLUMNS)} fields are needed")
    symptoms = tuple(row["symptoms"].split())
    if not symptoms:
        raise StudyError(f"{place}: no symptom; one that nobody knows is `unknown`")
    for term, kind in (
        *((symptom, book.symptoms) for symptom in symptoms),
        (row["cause"], book.causes),
        (row["introduced"], book.stages),
        (row["exposed"], book.stages),
    ):
        if term not in kind:
            raise StudyError(f"{place}: {term!r} is not in the codebook")
    try:
        created = datetime.date.fromisoformat(row["created"])
    except ValueError:
        raise StudyError(f"{place}: {row['created']!r} is no date") from None
    return StudiedProblem(
        id=row["id"],
        created=created,
        summary=row["summary"],
        introduced=row["introduced"],
        exposed=row["exposed"],
        symptoms=symptoms,
        cause=row["cause"],
        benchmark=row["benchmark"],
        rules=tuple(row["rules"].split()),
    )


def _repeated(ids: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            return name
        seen.add(name)
    return ""
