"""Finds posts that speak of performance: stemmed words and pairs of words."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from deepperf.study.dataset import StudyError

_WORD = re.compile(r"[a-z0-9_']+")
DEFAULT_KEYWORDS = Path(__file__).with_name("keywords.txt")
KEPT_STEMS = 200_000
"""Words whose stems are remembered: constant memory, however many posts there are."""


@dataclass(frozen=True, slots=True)
class Keywords:
    """Stems, and pairs of stems that follow each other."""

    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]


def read_keywords(path: Path = DEFAULT_KEYWORDS) -> Keywords:
    """One keyword or pair of them a line; `#` begins a comment. Raises `StudyError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise StudyError(f"{path}: cannot be read: {reason}") from None
    words, pairs = set(), set()
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.partition("#")[0].lower().split()
        if len(parts) == 1:
            words.add(parts[0])
        elif len(parts) == 2:
            pairs.add((parts[0], parts[1]))
        elif parts:
            raise StudyError(f"{path}:{number}: a keyword has one or two words")
    if not words and not pairs:
        raise StudyError(f"{path}: holds no keyword")
    return Keywords(frozenset(words), frozenset(pairs))


def matches(text: str, keywords: Keywords) -> tuple[str, ...]:
    """The keywords found in a text, in alphabetical order.

    A word counts as it is and by its stem: the paper's list holds both kinds ("hangs").
    """
    stem = stemmer()
    found: set[str] = set()
    before: tuple[str, ...] = ()
    for word in _WORD.findall(text.lower()):
        forms = (word, stem(word))
        found.update(form for form in forms if form in keywords.words)
        if before:
            found.update(
                f"{first} {second}"
                for first in before
                for second in forms
                if (first, second) in keywords.pairs
            )
        before = forms
    return tuple(sorted(found))


@functools.cache
def stemmer() -> Callable[[str], str]:
    """Porter's stemmer, with a memory of bounded size."""
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer("porter").stemWord
    return functools.lru_cache(KEPT_STEMS)(stem)


def any_of(words: Collection[str]) -> re.Pattern[bytes]:
    """Found in every text that holds one of `words`, in whatever case."""
    return re.compile("|".join(map(re.escape, sorted(words))).encode(), re.IGNORECASE)
