"""Whether a changed program still gives the same: exit status, what it prints, files, metrics,
losses.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from deepperf.prove.printed import NUMBER, Text, common, differs
from deepperf.prove.runs import Outcome
from deepperf.prove.trajectory import UNREAD, Losses, Trajectory, in_common, parting

TOLERANCE = 1e-3
"""Relative difference allowed between numbers: sums in another order differ by less."""
ARRAYS = (".npy", ".npz")

Content = Text | bytes
"""What a file is held against: its text, or all of its bytes."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the unchanged program gives.

    `metrics` are the numbers that a pattern of the user's finds, lowest and highest of all runs,
    `losses` those of its training.
    """

    status: int
    printed: Text
    files: Mapping[str, Content]
    metrics: tuple[tuple[float, float], ...] = ()
    metric: str = ""
    tolerance: float = TOLERANCE
    losses: Trajectory = UNREAD

    @property
    def compares_nothing(self) -> bool:
        """Whether no number and no file is left to compare."""
        return self._reads_nothing and not self.losses.stable

    @property
    def _reads_nothing(self) -> bool:
        stable = len(self.printed.numbers) - len(self.printed.unstable)
        return not stable and not self.files and not self.metrics

    def losses_differ(self, run: Outcome) -> str:
        """How the losses of a run differ, "" where they do not. Other numbers of them are no
        difference where there is something else to compare."""
        there = run.losses or Losses()
        number, now = self.losses.losses.count, there.count
        if self._reads_nothing and self.losses.stable and now != number:
            return f"it computes gradients of {now} losses where {number} were"
        return parting(self.losses, there, self.tolerance)


def expected_of(
    runs: Sequence[Outcome], metric: str = "", tolerance: float = TOLERANCE
) -> Expected | str:
    """What several runs of the unchanged program have in common, or why they have too little."""
    first = runs[0]
    for other in runs[1:]:
        if other.status != first.status:
            return f"its exit status is {first.status} or {other.status}, from run to run"
    files: dict[str, Content] = {}
    for path in first.files:
        content = _content(path, [run.files[path] for run in runs], tolerance)
        if isinstance(content, str):
            return content
        files[path] = content
    found = [_metrics(metric, run.output) for run in runs] if metric else []
    if metric and (not found[0] or len({len(values) for values in found}) > 1):
        return f"--metric {metric!r} finds nothing, or not the same number of times in each run"
    spread = tuple((min(values), max(values)) for values in zip(*found, strict=True))
    printed = common([run.output for run in runs], tolerance)
    told = [run.losses for run in runs if run.losses is not None]
    losses = in_common(told, tolerance) if told else UNREAD
    return Expected(first.status, printed, files, spread, metric, tolerance, losses)


def difference(expected: Expected, run: Outcome) -> str:
    """What a run gives otherwise, in one line; "" where it gives the same."""
    if run.status != expected.status:
        return f"it ends with exit status {run.status}{_last_words(run)}"
    if said := differs(expected.printed, run.output):
        return f"it prints {said}"
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
    return expected.losses_differ(run)


def _last_words(run: Outcome) -> str:
    rows = [row.strip() for row in run.errors.splitlines() if row.strip()]
    return f": {rows[-1][:200]}" if rows else ""


def _metrics(pattern: str, text: str) -> tuple[float, ...]:
    return tuple(float(one) for match in re.finditer(pattern, text) for one in _groups(match))


def _groups(match: re.Match[str]) -> Iterator[str]:
    for group in match.groups() or (match[0],):
        found = NUMBER.search(group or "")
        if found:
            yield found[0]


def _content(path: str, runs: Sequence[bytes | None], tolerance: float) -> Content | str:
    """What a file has in each run, or why it cannot be held against anything."""
    written = [data for data in runs if data is not None]
    if not written:
        return f"it writes no {path}"
    if len(written) < len(runs):
        return f"it writes {path} in some runs only: nothing can be held against it"
    texts = [_text(path, data) for data in written]
    first = written[0]
    if None not in texts:
        text = common([text for text in texts if text is not None], tolerance)
        if not text.is_lost:
            return text
        return f"all of {path} differs from run to run: nothing can be held against it"
    for other in written[1:]:
        if said := _file_differs(path, first, other, tolerance):
            return f"from run to run, {said}: nothing can be held against it"
    return first


def _text(path: str, data: bytes) -> str | None:
    """The file as text; None where it holds something else."""
    try:
        return None if PurePath(path).suffix in ARRAYS else data.decode()
    except UnicodeDecodeError:
        return None


def _file_differs(path: str, expected: Content, data: bytes | None, tolerance: float) -> str:
    """How the content of a file differs, "" where it does not."""
    if data is None:
        return f"{path} is not written"
    if isinstance(expected, Text):
        text = _text(path, data)
        said = "bytes that are no text" if text is None else differs(expected, text)
        return f"{path} has {said}" if said else ""
    if PurePath(path).suffix in ARRAYS:
        return "" if _arrays_close(expected, data, tolerance) else f"the arrays of {path} differ"
    return "" if expected == data else f"the bytes of {path} differ"


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
