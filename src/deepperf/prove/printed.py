"""What texts of several runs have in common: lines, as words and numbers; times never count."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_ROUNDED = 0.01
"""Relative difference allowed between numbers that differ in the last place printed."""
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])|\b(?:nan|inf)\b")
_AMOUNT = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?"
_TIME = re.compile(
    rf"""(?<![\w.])(?:
    \d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?  # a date
    |\d{{1,2}}(?::\d\d){{1,2}}(?:[.,]\d+)?                        # a clock, or 01:30 left
    |(?:\d+h)?(?:\d+m)?{_AMOUNT}s(?:/\w+)?                         # 1m30s, 2s/step
    |{_AMOUNT}(?:[nuµμm]s|min|h)(?:/\w+)?                         # 12ms/step
    |{_AMOUNT}\ (?:[nuµμm]?s|sec(?:ond)?s?|mins|minutes?|hours?)(?:/\w+)?
    |{_AMOUNT}\ ?\w*/(?:s|sec|second|min|minute|h|hour)           # 310 images/s
    )(?!\w)""",
    re.VERBOSE,
)
"""What tells how long something took, or when it was: faster is what is wanted."""
_DONE = re.compile(r"(?<![\w.])(\d+)/\1(?![\w.])")
"""How far a progress bar came: how many batches there are is no result."""
_PAINT = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_A_TIME = "\N{HOURGLASS}"

Words = tuple[str, ...]
"""A line without its numbers: what stands before, between and behind them."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is shown: its words, its numbers, and how many places each has."""

    words: Words
    numbers: tuple[float, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """What the same text of several runs has in common.

    `unstable` are numbers, counted from 0, that differ from run to run. `loose` are the words of
    lines that not all runs have, or not in the same places, `others` those of lines that a single
    run has: of these another run may have others again. `times` is how many times a run prints.
    """

    lines: tuple[Line, ...]
    unstable: frozenset[int]
    loose: frozenset[Words]
    others: frozenset[Words]
    times: int
    tolerance: float

    @property
    def numbers(self) -> tuple[float, ...]:
        return tuple(number for line in self.lines for number in line.numbers)

    @property
    def is_lost(self) -> bool:
        """Whether nothing of it is the same in each run."""
        return bool(self.loose) and not self.lines


def common(texts: Sequence[str], tolerance: float) -> Text:
    """What texts of several runs have in common."""
    runs = [parsed(text) for text in texts]
    counts = [Counter(line.words for line in run) for run in runs]
    every = {words for count in counts for words in count}
    loose = {words for words in every if len({count[words] for count in counts}) > 1}
    others = {words for words in loose if sum(words in count for count in counts) == 1}
    kept = [_without(run, loose) for run in runs]
    # These have the same lines as often; in another order where threads print.
    loose |= {
        line.words
        for lines in zip(*kept, strict=True)
        if len({line.words for line in lines}) > 1
        for line in lines
    }
    first, *rest = (_without(run, loose) for run in runs)
    unstable: set[int] = set()
    for other in rest:
        unstable |= {
            at
            for at, (one, two, places) in enumerate(_numbers(first, other))
            if not close(one, two, places, tolerance)
        }
    times = sum(word.count(_A_TIME) for line in runs[0] for word in line.words)
    return Text(
        first, frozenset(unstable), frozenset(loose), frozenset(others), times, tolerance
    )  # fmt: skip


def differs(expected: Text, text: str) -> str:
    """What a text has otherwise, in a phrase; "" where it has the same."""
    lines = _without(parsed(text), expected.loose)
    known = {line.words for line in expected.lines}
    if expected.others:
        lines = tuple(line for line in lines if line.words in known)
    before, after = ([line.words for line in run] for run in (expected.lines, lines))
    if before != after:
        return _first_other(before, after)
    for at, (one, two, places) in enumerate(_numbers(expected.lines, lines)):
        if at not in expected.unstable and not close(one, two, places, expected.tolerance):
            return f"{two:g} where {one:g} was{_apart(one, two)}"
    return ""


def parsed(text: str) -> tuple[Line, ...]:
    """The lines that a terminal would show at the end, empty ones left out."""
    shown = (_shown(_PAINT.sub("", row)) for row in text.split("\n"))
    return tuple(_line(row) for row in shown if row.strip())


def close(one: float, two: float, places: int, tolerance: float) -> bool:
    """Whether numbers are equal within the tolerance, or differ in the last place printed."""
    if math.isnan(one) or math.isnan(two):
        return math.isnan(one) and math.isnan(two)
    last = 10.0**-places if 0 < places < 300 else 0.0
    rounded = min(1.01 * last, MOST_ROUNDED * abs(one))
    return math.isclose(one, two, rel_tol=tolerance, abs_tol=rounded)


def spoken(words: Words) -> str:
    """The words of a line, its numbers as dots, for a message."""
    line = " ".join(" … ".join(words).replace(_A_TIME, "…").split())
    return repr(line if len(line) < 40 else line[:39] + "…")


def _shown(row: str) -> str:
    """A row of the screen, of which a progress bar writes parts again and again."""
    if "\r" not in row and "\b" not in row:
        return row
    shown: list[str] = []
    at = 0
    for letter in row:
        if letter == "\r":
            at = 0
        elif letter == "\b":
            at = max(0, at - 1)
        else:
            shown[at : at + 1] = [letter]
            at += 1
    return _DONE.sub(_A_TIME, "".join(shown))


def _line(row: str) -> Line:
    row = _TIME.sub(_A_TIME, row)
    # Runs of blanks are one: columns move with the width of numbers.
    words = tuple(" ".join(part.split()) for part in NUMBER.split(row))
    found = [match[0] for match in NUMBER.finditer(row)]
    return Line(words, tuple(map(float, found)), tuple(map(_places, found)))


def _places(number: str) -> int:
    mantissa, _, exponent = number.lower().partition("e")
    return len(mantissa.partition(".")[2]) - int(exponent or 0)


def _without(lines: Sequence[Line], words: set[Words] | frozenset[Words]) -> tuple[Line, ...]:
    return tuple(line for line in lines if line.words not in words)


def _numbers(lines: Sequence[Line], others: Sequence[Line]) -> Iterator[tuple[float, float, int]]:
    for line, other in zip(lines, others, strict=True):
        yield from zip(line.numbers, other.numbers, line.places, strict=True)


def _first_other(before: Sequence[Words], after: Sequence[Words]) -> str:
    pairs = zip(before, after, strict=False)
    one, two = next(((a, b) for a, b in pairs if a != b), ((), ()))
    if one == two:
        longer, shorter = (after, before) if len(after) > len(before) else (before, after)
        what = spoken(longer[len(shorter)])
        return f"{what}, too" if longer is after else f"no {what}"
    return f"{spoken(two)} where {spoken(one)} was"


def _apart(one: float, two: float) -> str:
    """How far two numbers are apart, which tells whether a larger tolerance would do."""
    largest = max(abs(one), abs(two))
    if not math.isfinite(one - two) or not largest:
        return ""
    return f" ({abs(one - two) / largest:.2%} apart)"
