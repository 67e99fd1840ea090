"""The mining step: from posts to candidates, in the order in which they stand."""

from __future__ import annotations

import gc
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec

from deepperf.study.candidates import (
    Candidate,
    Post,
    fingerprint,
    framework_of,
    from_json,
    to_json,
)
from deepperf.study.dataset import StudyError
from deepperf.study.keywords import Keywords, any_of, matches
from deepperf.study.sources import Lost, files_of, read_posts

SAVE_EVERY = 64 * 1024 * 1024
"""Bytes of a source between two notes of how far the run has come."""

Progress = Callable[[int, Mapping[str, int]], None]
"""Told how many bytes of the source are read, and what became of its records."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which posts are candidates: by tags (none for any), by score and by number of answers."""

    keywords: Keywords
    tags: frozenset[str] = frozenset()
    least_score: int = 0
    least_answers: int = 0

    @property
    def needed(self) -> re.Pattern[bytes] | None:
        """What the bytes of a record must hold for the record to pass."""
        return any_of(self.tags) if self.tags else None


@dataclass(frozen=True, slots=True)
class State:
    """How far a run has come: in which file, to which offset, with how many bytes written."""

    settings: str
    file: str = ""
    offset: int = 0
    written: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


def judge(post: Post, wanted: Filter) -> Candidate | None:
    """The candidate that a post is, if it is one."""
    if post.score < wanted.least_score or post.answers < wanted.least_answers:
        return None
    if wanted.tags and not any(_bears(tag, wanted.tags) for tag in post.tags):
        return None
    found = matches(f"{post.title}\n{post.text}", wanted.keywords)
    return Candidate(post, framework_of(post), found) if found else None


def _bears(tag: str, wanted: frozenset[str]) -> bool:
    """Whether a tag is wanted, or is a version or part of one: `tensorflow2.0`, `keras-layer`."""
    tag = tag.lower()
    return tag in wanted or any(re.fullmatch(rf"{re.escape(w)}[-\d.].*", tag) for w in wanted)


def mine(source: Path, output: Path, wanted: Filter, progress: Progress) -> Mapping[str, int]:
    """Write the candidates of a source as JSON lines, and answer what became of its records.

    The counts are "read", "malformed", "unwanted", "duplicate" and "found". A run that was
    broken off is taken up where it last made a note, beside `output`. Raises `StudyError`, also
    where that note is of a run with other settings.
    """
    gc.enable()  # memory must stay constant, however long the source is
    files = files_of(source)
    note = output.with_name(f"{output.name}.state")
    state = _noted(note, _settings(source, wanted))
    names = [path.name for path in files]
    if state.file and state.file not in names:
        raise StudyError(f"{note}: speaks of {state.file}, which {source} lacks; delete it")
    counts = Counter(state.counts)
    passed = names.index(state.file) if state.file else 0
    done = sum(path.stat().st_size for path in files[:passed])
    try:
        with output.open("r+b" if output.exists() and state.written else "w+b") as stream:
            seen = set(_fingerprints(stream, state.written))
            stream.seek(state.written)
            stream.truncate()
            for path in files[passed:]:
                offset = state.offset if path.name == state.file else 0
                for end in _read(path, offset, wanted, seen, stream, counts):
                    _save(note, stream, State(state.settings, path.name, end, 0, dict(counts)))
                    progress(done + end, counts)
                done += path.stat().st_size
    except OSError as error:
        raise StudyError(f"{output}: cannot be written: {error.strerror or error}") from None
    return counts


def _read(
    path: Path,
    offset: int,
    wanted: Filter,
    seen: set[bytes],
    stream: BinaryIO,
    counts: Counter[str],
) -> Iterator[int]:
    """Writes a file's candidates; gives the offset now and then, and at the end."""
    saved = offset
    for end, post in read_posts(path, offset, wanted.needed):
        counts["read"] += 1
        counts[_taken(post, wanted, seen, stream)] += 1
        if end - saved >= SAVE_EVERY:
            yield end
            saved = end
    yield path.stat().st_size


def _taken(post: Post | Lost, wanted: Filter, seen: set[bytes], stream: BinaryIO) -> str:
    if isinstance(post, Lost):
        return post.value
    candidate = judge(post, wanted)
    if candidate is None:
        return Lost.UNWANTED.value
    mark = fingerprint(post)
    if mark in seen:
        return "duplicate"
    seen.add(mark)
    stream.write(to_json(candidate).encode("ascii") + b"\n")
    return "found"


# Taking up a run again


def _settings(source: Path, wanted: Filter) -> str:
    keywords = wanted.keywords
    return repr(
        (
            os.fspath(source),
            sorted(keywords.words),
            sorted(keywords.pairs),
            sorted(wanted.tags),
            wanted.least_score,
            wanted.least_answers,
        )
    )


def _noted(note: Path, settings: str) -> State:
    if not note.exists():
        return State(settings)
    try:
        state = msgspec.json.decode(note.read_bytes(), type=State)
    except (OSError, msgspec.DecodeError):
        raise StudyError(f"{note}: cannot be read; delete it to begin anew") from None
    if state.settings != settings:
        raise StudyError(f"{note}: is of a run with other settings; delete it to begin anew")
    return state


def _save(note: Path, stream: BinaryIO, state: State) -> None:
    stream.flush()
    os.fsync(stream.fileno())
    whole = {**asdict(state), "written": stream.tell()}
    fresh = note.with_name(f"{note.name}.new")
    fresh.write_text(json.dumps(whole), encoding="utf-8")
    fresh.replace(note)


def _fingerprints(stream: BinaryIO, length: int) -> Iterator[bytes]:
    """Those of the candidates in the first `length` bytes."""
    for line in stream:
        length -= len(line)
        if length < 0:
            return
        yield fingerprint(from_json(line.decode("ascii")).post)
