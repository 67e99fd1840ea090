"""Labels that raters give to candidates, kept so that none is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from deepperf.study.dataset import StudyError

DIMENSIONS = ("is_problem", "symptom", "cause", "introduced", "exposed")


@dataclass(frozen=True, slots=True)
class Label:
    """What one rater says of one candidate; the terms are "" where it is no problem."""

    candidate: str
    rater: str
    is_problem: bool
    symptom: str = ""
    cause: str = ""
    introduced: str = ""
    exposed: str = ""
    remark: str = ""


def append_label(path: Path, label: Label) -> None:
    """Add a label to a file of JSON lines; it is on the disk when this returns.

    What a crash left half written stays a line of its own. Raises `StudyError`.
    """
    try:
        with path.open("a+b") as stream:
            if stream.seek(0, os.SEEK_END):
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":
                    stream.write(b"\n")
            stream.write(json.dumps(asdict(label)).encode("ascii") + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise StudyError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_labels(path: Path) -> tuple[tuple[Label, ...], int]:
    """The labels in a file, the last of each rater for each candidate, and the lines lost.

    A file that is not there holds none. Raises `StudyError` for one that cannot be read.
    """
    if not path.exists():
        return (), 0
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror or error}") from None
    latest: dict[tuple[str, str], Label] = {}
    lost = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            label = msgspec.json.decode(line, type=Label)
        except (UnicodeDecodeError, msgspec.DecodeError):
            lost += 1
            continue
        latest[label.candidate, label.rater] = label
    return tuple(latest.values()), lost


def pairs(labels: Iterable[Label], first: str, second: str) -> Iterator[tuple[Label, Label]]:
    """The labels of two raters for the candidates that both have labelled."""
    by_rater: dict[str, dict[str, Label]] = {first: {}, second: {}}
    for label in labels:
        if label.rater in by_rater:
            by_rater[label.rater][label.candidate] = label
    for candidate, label in by_rater[first].items():
        other = by_rater[second].get(candidate)
        if other is not None:
            yield label, other
