"""One finding per cause: further places of it are told beside the first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace

from deepperf.records import Finding, Location, Step


def one_per_cause(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of one rule in one file, those of one cause joined.

    Of one cause are findings at one place by the same calls, those that say the same on one line,
    and those that name the same place as what is to be mended. The loudest speaks for them, the
    first of several; where it stands, quieter findings are told beside it.
    """
    groups: dict[Hashable, list[Finding]] = {}
    ordered = sorted(set(found))
    loudest: dict[Location, Finding] = {}
    for finding in ordered:
        held = loudest.setdefault(finding.location, finding)
        if _loudness(finding) > _loudness(held):
            loudest[finding.location] = finding
    for finding in ordered:
        keys = tuple(_keys(finding, loudest[finding.location]))
        joined = [finding]
        for group in {id(groups[key]): groups[key] for key in keys if key in groups}.values():
            joined = [*group, *joined]
        groups.update({key: joined for one in joined for key in _keys(one, loudest[one.location])})
    whole = {id(group): group for group in groups.values()}
    return tuple(_joined(group) for group in whole.values())


def _keys(finding: Finding, loudest: Finding) -> Iterator[Hashable]:
    # Of one call that is repeated as a whole, all that it does is one thing to mend.
    yield finding.location, finding.path[:-1]
    if _loudness(finding) < _loudness(loudest):
        yield loudest.location, loudest.path[:-1]
    yield finding.location.cell, finding.location.line, finding.message
    if finding.cause is not None:
        yield finding.cause


def _loudness(finding: Finding) -> tuple[int, float]:
    return finding.level, finding.estimate


def _joined(group: list[Finding]) -> Finding:
    first = min(group, key=lambda one: (-one.level, -one.estimate, one))
    places: dict[Step, None] = dict.fromkeys(first.related)
    for other in sorted(group):
        is_here = other.location == first.location
        place = other.cause if is_here and other.cause is not None else other.location
        says_more = (place.line, other.message) != (first.location.line, first.message)
        if other is not first and says_more:
            places[Step(place, other.message)] = None
    return replace(first, related=tuple(places))
