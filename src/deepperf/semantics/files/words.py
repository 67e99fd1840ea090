"""In which files words stand, and pieces of text: read off all texts once, asked about often."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from deepperf.semantics.text.source import Source
from deepperf.semantics.text.wording import words_of

_WORDS = re.compile(r"\w+")


class Words(Struct, frozen=True, eq=False):
    """The files by the words in their texts, in the order of the files.

    `joined` are all the words with a blank before and behind each: they are a small part of
    the texts, and a piece of a word is found in them in their place.
    """

    files: Mapping[bytes, list[str]]
    joined: bytes
    paths: frozenset[str]  # of all files


def words_in(sources: Mapping[str, Source]) -> Words:
    found: dict[bytes, list[str]] = defaultdict(list)
    for path, source in sources.items():
        for word in words_of(source.text):
            found[word].append(path)
    return Words(dict(found), b" ".join((b"", *found, b"")), frozenset(sources))


def may_have(words: Words, piece: str) -> frozenset[str]:
    """The files in whose texts each of the words of a piece of text stands, as a part of others.

    Of a piece that is a single word, those that have it.
    """
    kept: set[str] | None = None
    for part in _WORDS.findall(piece):
        found = _with_part(words, part.encode("utf-8", "surrogatepass"))
        kept = found if kept is None else kept & found
    return frozenset(kept) if kept is not None else words.paths


def first_letters(pattern: re.Pattern[str]) -> str:
    """The letters with which all that a pattern matches begins; none where that is not plain."""
    if pattern.flags & re.IGNORECASE or "|" in pattern.pattern:
        return ""
    return re.match(r"(?:\w(?![?*{]))*", pattern.pattern)[0]  # type: ignore[index]


def is_word(piece: str) -> bool:
    """Whether a piece of text is a single word, or a part of one."""
    return _WORDS.fullmatch(piece) is not None


def _with_part(words: Words, part: bytes) -> set[str]:
    """The files with a word of which this is a part."""
    found: set[str] = set()
    joined = words.joined
    at = joined.find(part)
    while at >= 0:
        end = joined.index(b" ", at)
        found.update(words.files[joined[joined.rfind(b" ", 0, at) + 1 : end]])
        at = joined.find(part, end)
    return found
