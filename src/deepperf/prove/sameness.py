"""Whether a changed program still gives the same: exit status, what it prints, files, metrics."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from deepperf.prove.runs import Outcome

TOLERANCE = 1e-3
"""Relative difference allowed between numbers: sums in another order differ by less."""
MOST_ROUNDED = 0.01
"""The same for numbers that differ in the last place printed."""
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])|\b(?:nan|inf)\b")


@dataclass(frozen=True, slots=True)
class Expected:
    """What the unchanged program gives, and which of its numbers differ from run to run.

    `unstable` are numbers of what it prints, counted from 0; `metrics` the numbers that a pattern
    of the user's finds, lowest and highest of all runs.
    """

    status: int
    texts: tuple[str, ...]
    numbers: tuple[float, ...]
    digits: tuple[int, ...]
    unstable: frozenset[int]
    files: Mapping[str, bytes | None]
    metrics: tuple[tuple[float, float], ...] = ()
    metric: str = ""
    tolerance: float = TOLERANCE

    @property
    def compares_nothing(self) -> bool:
        """Whether no number and no file is left to compare."""
        stable = len(self.numbers) - len(self.unstable)
        return not stable and not self.files and not self.metrics


def expected_of(
    runs: Sequence[Outcome], metric: str = "", tolerance: float = TOLERANCE
) -> Expected | str:
    """What several runs of the unchanged program have in common, or why they have too little."""
    first = runs[0]
    texts, numbers, digits = _parts(first.output)
    unstable: set[int] = set()
    for other in runs[1:]:
        if other.status != first.status:
            return f"its exit status is {first.status} or {other.status}, from run to run"
        others = _parts(other.output)
        if others[0] != texts:
            return "it prints other words in each run, beside numbers"
        near = enumerate(zip(numbers, others[1], digits, strict=True))
        unstable |= {
            at for at, (one, two, places) in near if not _close(one, two, places, tolerance)
        }
        for path, content in other.files.items():
            if said := _file_differs(path, first.files[path], content, tolerance):
                return f"from run to run, {said}: nothing can be held against it"
    if missing := [path for path, content in first.files.items() if content is None]:
        return f"it writes no {missing[0]}"
    found = [_metrics(metric, run.output) for run in runs] if metric else []
    if metric and (not found[0] or len({len(values) for values in found}) > 1):
        return f"--metric {metric!r} finds nothing, or not the same number of times in each run"
    spread = tuple((min(values), max(values)) for values in zip(*found, strict=True))
    return Expected(
        first.status, texts, numbers, digits, frozenset(unstable), first.files, spread, metric,
        tolerance,
    )  # fmt: skip


def difference(expected: Expected, run: Outcome) -> str:
    """What a run gives otherwise, in one line; "" where it gives the same."""
    if run.status != expected.status:
        return f"it ends with exit status {run.status}{_last_words(run)}"
    texts, numbers, _ = _parts(run.output)
    if texts != expected.texts:
        return f"it prints {_first_other(expected.texts, texts)}"
    for at, (one, two) in enumerate(zip(expected.numbers, numbers, strict=True)):
        is_close = _close(one, two, expected.digits[at], expected.tolerance)
        if at not in expected.unstable and not is_close:
            return f"it prints {two:g} where {one:g} was{_apart(one, two)}"
    for path, content in expected.files.items():
        if said := _file_differs(path, content, run.files.get(path), expected.tolerance):
            return said
    found = _metrics(expected.metric, run.output) if expected.metric else ()
    if len(found) != len(expected.metrics):
        return f"--metric finds {len(found)} numbers, not {len(expected.metrics)}"
    for (low, high), value in zip(expected.metrics, found, strict=True):
        room = max(high - low, expected.tolerance * max(abs(low), abs(high)))
        if not low - room <= value <= high + room:
            return f"the metric is {value:g}, where it was {low:g} to {high:g}"
    return ""


def _apart(one: float, two: float) -> str:
    """How far two numbers are apart, which tells whether a larger tolerance would do."""
    largest = max(abs(one), abs(two))
    if not math.isfinite(one - two) or not largest:
        return ""
    return f" ({abs(one - two) / largest:.2%} apart)"


def _last_words(run: Outcome) -> str:
    rows = [row.strip() for row in run.errors.splitlines() if row.strip()]
    return f": {rows[-1][:200]}" if rows else ""


def _first_other(before: Sequence[str], after: Sequence[str]) -> str:
    pairs = zip(before, after, strict=False)
    one, two = next(((a, b) for a, b in pairs if a != b), ("", ""))
    if one == two:
        return "more" if len(after) > len(before) else "less"
    return f"{_quoted(two)} where {_quoted(one)} was"


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) < 40 else line[:39] + "…")


def _parts(text: str) -> tuple[tuple[str, ...], tuple[float, ...], tuple[int, ...]]:
    """The words between numbers, the numbers, and how many places behind the point each has.

    Runs of blanks are one: columns move with the width of numbers.
    """
    words = tuple(" ".join(part.split()) for part in _NUMBER.split(text))
    found = [match[0] for match in _NUMBER.finditer(text)]
    return words, tuple(float(one) for one in found), tuple(_places(one) for one in found)


def _places(number: str) -> int:
    mantissa, _, exponent = number.lower().partition("e")
    return len(mantissa.partition(".")[2]) - int(exponent or 0)


def _close(one: float, two: float, places: int, tolerance: float) -> bool:
    """Whether numbers are equal within the tolerance, or differ in the last place printed."""
    if math.isnan(one) or math.isnan(two):
        return math.isnan(one) and math.isnan(two)
    last = 10.0**-places if 0 < places < 300 else 0.0
    rounded = min(1.01 * last, MOST_ROUNDED * abs(one))
    return math.isclose(one, two, rel_tol=tolerance, abs_tol=rounded)


def _metrics(pattern: str, text: str) -> tuple[float, ...]:
    return tuple(float(one) for match in re.finditer(pattern, text) for one in _groups(match))


def _groups(match: re.Match[str]) -> Iterator[str]:
    for group in match.groups() or (match[0],):
        found = _NUMBER.search(group or "")
        if found:
            yield found[0]


def _file_differs(path: str, one: bytes | None, two: bytes | None, tolerance: float) -> str:
    """How the content of a file differs, "" where it does not."""
    if one == two:
        return ""
    if one is None or two is None:
        return f"{path} is {'not ' if two is None else ''}written"
    if PurePath(path).suffix in (".npy", ".npz"):
        return "" if _arrays_close(one, two, tolerance) else f"the arrays of {path} differ"
    try:
        before, after = _parts(one.decode()), _parts(two.decode())
    except UnicodeDecodeError:
        return f"the bytes of {path} differ"
    if before[0] != after[0]:
        return f"{path} has {_first_other(before[0], after[0])}"
    for a, b, places in zip(before[1], after[1], before[2], strict=True):
        if not _close(a, b, places, tolerance):
            return f"{path} has {b:g} where {a:g} was"
    return ""


def _arrays_close(one: bytes, two: bytes, tolerance: float) -> bool:
    import numpy

    try:
        before, after = (
            numpy.load(io.BytesIO(content), allow_pickle=False) for content in (one, two)
        )
    except (OSError, ValueError):
        return False
    names = getattr(before, "files", None)
    pairs = [(before[n], after[n]) for n in names] if names else [(before, after)]
    if names and set(names) != set(after.files):
        return False
    return all(
        a.shape == b.shape and bool(numpy.allclose(a, b, rtol=tolerance, equal_nan=True))
        for a, b in pairs
    )
