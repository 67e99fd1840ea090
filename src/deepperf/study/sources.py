"""Where posts come from: dumps of StackExchange, issues as JSON lines, and CSV.

A source is read record by record, in constant memory, and can be taken up again at the byte
where it was left.
"""

from __future__ import annotations

import csv
import enum
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from deepperf.study.candidates import Post
from deepperf.study.dataset import StudyError


class Lost(enum.Enum):
    """Why a record gave no post."""

    MALFORMED = "malformed"
    UNWANTED = "unwanted"  # an answer, or lacks what every wanted record holds


Record: TypeAlias = tuple[int, Post | Lost]
"""The offset behind a record, and the post in it."""

Source: TypeAlias = Callable[[Path, int, "re.Pattern[bytes] | None"], Iterator[Record]]
"""Reads a file from an offset on; a record in whose tags the pattern is not found is unwanted."""

_TAG = re.compile(r"[^<>|\s]+")
_FENCE = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
csv.field_size_limit(16 * 1024 * 1024)


def files_of(source: Path) -> tuple[Path, ...]:
    """The files of a source: itself, or those of a folder that can be read, by name.

    Raises `StudyError` where there is none.
    """
    if source.is_dir():
        found = tuple(sorted(p for p in source.iterdir() if p.suffix.lower() in READERS))
        if not found:
            raise StudyError(f"{source}: holds no {', '.join(sorted(READERS))} file")
        return found
    if not source.is_file():
        raise StudyError(f"{source}: no such file or folder")
    if source.suffix.lower() not in READERS:
        raise StudyError(f"{source}: not one of {', '.join(sorted(READERS))}")
    return (source,)


def read_posts(path: Path, offset: int, needed: re.Pattern[bytes] | None) -> Iterator[Record]:
    """The records of a file behind `offset`. Raises `StudyError` if it cannot be read."""
    try:
        yield from READERS[path.suffix.lower()](path, offset, needed)
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror or error}") from None


def _lines(path: Path, offset: int) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as stream:
        stream.seek(offset)
        for line in stream:
            offset += len(line)
            yield offset, line


def _dump(path: Path, offset: int, needed: re.Pattern[bytes] | None) -> Iterator[Record]:
    """`Posts.xml` of a StackExchange dump: one row a line."""
    for end, line in _lines(path, offset):
        start = line.lstrip(b" \t\xef\xbb\xbf")
        if start.startswith(b"<row"):
            is_wanted = b'PostTypeId="1"' in line and _has_tag(line, needed)
            yield end, _question(line) if is_wanted else Lost.UNWANTED
        elif start.strip() and not start.startswith((b"<?xml", b"<posts", b"</posts")):
            yield end, Lost.MALFORMED


def _has_tag(row: bytes, needed: re.Pattern[bytes] | None) -> bool:
    """Whether the pattern is found among a row's tags; what has none is read, to be judged."""
    start = row.find(b' Tags="')
    if needed is None or start < 0:
        return True
    return needed.search(row, start, row.find(b'"', start + 7)) is not None


def _question(line: bytes) -> Post | Lost:
    from lxml import etree

    try:
        row = etree.fromstring(line.strip()).attrib
        text, code = _plain(row.get("Body", ""))
        return Post(
            source="stackexchange",
            id=str(int(row["Id"])),
            created=row.get("CreationDate", "")[:10],
            title=row.get("Title", ""),
            text=text,
            code=code,
            tags=tuple(_TAG.findall(row.get("Tags", ""))),
            score=int(row.get("Score", "0")),
            answers=int(row.get("AnswerCount", "0")),
        )
    except (etree.LxmlError, KeyError, ValueError):
        return Lost.MALFORMED


def _plain(body: str) -> tuple[str, tuple[str, ...]]:
    """The prose and the blocks of code of a body in HTML."""
    if not body.strip():
        return "", ()
    from lxml import html

    tree = html.fragment_fromstring(body, create_parent="div")
    blocks = tree.findall(".//pre")
    code = tuple(block.text_content() for block in blocks)
    for block in blocks:
        block.drop_tree()
    return tree.text_content(), code


def _json_lines(path: Path, offset: int, _: re.Pattern[bytes] | None) -> Iterator[Record]:
    """Issues as GitHub's interface gives them, one a line."""
    for end, line in _lines(path, offset):
        if line.strip():
            yield end, _issue(line)


def _issue(line: bytes) -> Post | Lost:
    try:
        data = json.loads(line)
        body = data.get("body") or ""
        labels = data.get("labels") or ()
        address = str(data.get("html_url") or data.get("url") or "")
        code = tuple(_FENCE.findall(body))
        return Post(
            source="github",
            id=address or str(int(data["number"])),
            created=str(data.get("created_at") or "")[:10],
            title=str(data["title"]),
            text=_FENCE.sub(" ", body),
            code=code,
            tags=tuple(str(x["name"] if isinstance(x, dict) else x).lower() for x in labels),
            score=_reactions(data),
            answers=_number(data.get("comments")),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return Lost.MALFORMED


def _reactions(data: dict[str, Any]) -> int:
    reactions = data.get("reactions")
    return _number(reactions.get("total_count") if isinstance(reactions, dict) else 0)


def _number(value: object) -> int:
    if isinstance(value, list):
        return len(value)
    return int(value) if isinstance(value, (int, str)) and str(value).strip() else 0


def _table(path: Path, offset: int, _: re.Pattern[bytes] | None) -> Iterator[Record]:
    """CSV with the columns id and title, and of the others what there is."""
    with path.open("rb") as stream:
        head = stream.readline()
        columns = next(csv.reader([head.decode("utf-8-sig", "replace")]), [])
        if not {"id", "title"} <= set(columns):
            raise StudyError(f"{path}: needs the columns id and title")
        if offset:
            stream.seek(offset)
        count = 0

        def rows() -> Iterator[str]:
            nonlocal count
            for line in stream:
                count += len(line)
                yield line.decode("utf-8", "replace")

        begin = offset or len(head)
        reader = csv.reader(rows())
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:
                yield begin + count, Lost.MALFORMED
                continue
            if row:
                yield begin + count, _row(dict(zip(columns, row, strict=False)))


def _row(data: dict[str, str]) -> Post | Lost:
    try:
        text, code = _plain(data.get("body", "") or data.get("text", ""))
        return Post(
            source=data.get("source", "") or "csv",
            id=data["id"],
            created=data.get("created", "")[:10],
            title=data["title"],
            text=text,
            code=code,
            tags=tuple(_TAG.findall(data.get("tags", "").lower())),
            score=_number(data.get("score")),
            answers=_number(data.get("answers")),
        )
    except (KeyError, ValueError):
        return Lost.MALFORMED


READERS: dict[str, Source] = {
    ".xml": _dump,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _table,
}
