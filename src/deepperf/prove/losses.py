"""What the watched run lost where a change would be made: it decides which is tried first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deepperf.dynamic.diagnosis import (
    Diagnosis,
    Weight,
    share_anywhere,
    share_of_seconds,
    share_within,
)
from deepperf.dynamic.frameworks.loader_waits import OTHER_WAITS, STARTS, WAITS
from deepperf.dynamic.join import NEAR, lines_apart
from deepperf.dynamic.program.loops import loops_at
from deepperf.dynamic.program.text import function_around, tree_of
from deepperf.dynamic.recording.trace import Samples, Trace
from deepperf.prove.offer import Part
from deepperf.records import Finding

# The numbers below are judged, not measured. They decide what is tried first, and so what a short
# budget still reaches, and who gets less of the allowance for error: that is divided before there
# are any pairs, on which alone it rests what is proven.
FEWEST_LOOKS = 20
"""Looks at a run from which on they tell where its time goes."""
CARRIED = 0.5
"""What a fix is taken to save of the time of the lines that it is about, where nothing saw what
the problem itself costs."""
GUESSED = 0.3
"""What a guess by the function around a finding counts beside a loss that was measured."""
UNKNOWN = 0.1
"""What is expected of a change, beside one of which the run tells, where it tells nothing: what
stands in a function that was hardly seen may cost elsewhere, as a loader does."""
MEMORY = 0.3
"""What memory counts beside time: fewer people wait for it."""
COMPUTES = frozenset(
    {"flax", "jax", "jaxlib", "keras", "optax", "tensorflow", "tf_keras", "torch", "torchvision"}
)
"""Packages whose time is that of models."""


@dataclass(frozen=True, slots=True)
class Losses:
    """A run that was watched in a copy of the project, and what signals say of it.

    `top` is the folder of the copy; the text that ran still lies there.
    """

    trace: Trace
    told: tuple[Diagnosis, ...]
    top: str

    @property
    def is_seen(self) -> bool:
        """Whether it was looked at often enough to tell where its time went."""
        return self.trace.sampled >= FEWEST_LOOKS


@dataclass(frozen=True, slots=True)
class Expected:
    """The part of the run that a change may save; whether that rests on what the run took there,
    and is no mere guess."""

    saved: float
    is_known: bool


def saved_by_fixes(
    losses: Losses,
    path: str,
    findings: Sequence[Finding],
    base: float,
    others: Iterable[tuple[str, Finding]],
) -> Expected:
    """What fixes of one rule in one file are expected to save.

    `base` is what such fixes save of what they touch where nothing is known; `others` are all
    findings, to tell which of them a signal speaks of.
    """
    file = os.path.join(losses.top, path)
    said = _named(losses, file, findings, others)
    named = max(map(_weight, said), default=0.0)
    if any(item.weight is Weight.TIME for item in said):
        return Expected(named, is_known=True)
    if not losses.is_seen:
        return Expected(max(named, base), named > 0)
    trace = losses.trace
    lines = max(_of_lines(trace, file, finding) for finding in findings)
    around = max(_of_function(trace, file, finding.location.line) for finding in findings)
    known = max(named, CARRIED * lines, GUESSED * base * around)
    return Expected(max(known, base * UNKNOWN), known > 0)


def saved_by_offers(
    losses: Losses, path: str, lines: Iterable[int], part: Part, of: float
) -> Expected:
    """What an opportunity at these lines is expected to save, which mostly saves the part `of` of
    what it touches."""
    if not losses.is_seen:
        return Expected(of, is_known=False)
    file = os.path.join(losses.top, path)
    share: float | None
    if part is Part.HERE:
        share = max((_of_function(losses.trace, file, line) for line in lines), default=0.0)
    else:
        share = _of_part(losses.trace, part)
    if share is None:
        return Expected(of * UNKNOWN, is_known=False)
    return Expected(of * share, share > 0)


def _named(
    losses: Losses,
    file: str,
    findings: Sequence[Finding],
    others: Iterable[tuple[str, Finding]],
) -> list[Diagnosis]:
    """What signals say of the same smell here; also what no other finding stands near to, for many
    a smell is felt in another file than that in which it is to be mended."""
    rule = findings[0].rule
    alike = [(os.path.join(losses.top, path), one) for path, one in others if one.rule == rule]
    found = []
    for item in losses.told:
        if item.rule != rule:
            continue
        is_here = any(_is_near(item, file, one) for one in findings)
        if is_here or not any(_is_near(item, path, one) for path, one in alike):
            found.append(item)
    return found


def _is_near(item: Diagnosis, file: str, finding: Finding) -> bool:
    if item.file != file:
        return False
    return lines_apart(item, file, finding) <= NEAR or (
        _function(file, item.line) == _function(file, finding.location.line)
    )


def _weight(item: Diagnosis) -> float:
    return item.share if item.weight is Weight.TIME else MEMORY * item.share


def _of_lines(trace: Trace, file: str, finding: Finding) -> float:
    """The share of the lines of a finding, and of the loops that begin there."""
    here = finding.location
    places = [here, *(step.location for step in finding.related if step.location.path == here.path)]
    lines = {line for at in places for line in range(at.line, at.end_line + 1)}
    loops = [loop for loop in loops_at(file, here.line) if loop[0] == here.line]
    of_loops = (share_within(trace, file, range(first, last + 1)) for first, last in loops)
    return max((*(share_anywhere(trace, file, line) for line in lines), *of_loops), default=0.0)


def _of_function(trace: Trace, file: str, line: int) -> float:
    first, last = _function(file, line)
    return share_within(trace, file, range(first, last + 1))


def _function(file: str, line: int) -> tuple[int, int]:
    """The lines of the innermost function around a line; those of the file where there is none."""
    tree = tree_of(file)
    if tree is None:
        return line, line
    around = function_around(tree, line)
    first = min((one.lineno for one in getattr(around, "decorator_list", ())), default=0)
    first = first or getattr(around, "lineno", 1)
    return first, getattr(around, "end_lineno", None) or max(line, _last_line(tree))


def _last_line(tree: object) -> int:
    body = getattr(tree, "body", ())
    return body[-1].end_lineno or 1 if body else 1


def _of_part(trace: Trace, part: Part) -> float | None:
    """The share of the run that goes to a part of a training; None where that was not seen."""
    if part is Part.LOADING:
        seen = [o for o in trace.observations if o.kind in (WAITS, OTHER_WAITS, STARTS)]
        seconds = sum(o.seconds + o.detail.get("waited", 0.0) for o in seen)
        return share_of_seconds(trace, seconds) if seen else None
    looks = sum(_looks(one, part) for one in trace.samples)
    return min(1.0, looks / trace.sampled)


def _looks(seen: Samples, part: Part) -> int:
    updating = sum(looks for way, looks in seen.calls.items() if _updates(way))
    if part is Part.UPDATING:
        return updating
    return sum(n for name, n in seen.packages.items() if name in COMPUTES) - updating


def _updates(way: str) -> bool:
    """Whether functions of libraries lead through the step of an optimizer."""
    return any(name.endswith(".step") for name in way.split("/"))
