"""What looks at the main thread add up to, by line and by stack."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping

from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.trace import Samples, Stack


class Doing(enum.Enum):
    """What the main thread does while it is looked at."""

    WORKING = "working"
    WAITING = "waiting"


def summed(
    looks_at: Mapping[tuple[tuple[Place, ...], str, Doing], int],
    calls: Mapping[Place, Counter[tuple[str, ...]]],
) -> tuple[tuple[Samples, ...], tuple[Stack, ...]]:
    """Looks at stacks, in which a package was at work, and the ways through libraries that were met
    below lines, by line and by stack."""
    counts: dict[Place, list[int]] = {}
    packages: dict[Place, Counter[str]] = {}
    stacks: dict[tuple[Place, ...], int] = {}
    for (places, package, doing), looks in looks_at.items():
        stacks[places] = stacks.get(places, 0) + looks
        for number, place in enumerate(places):
            found = counts.setdefault(place, [0, 0, 0, 0])
            found[0] += looks
            found[1] += looks * (number == 0)
            found[2] += looks * (number == 0 and not package)
            found[3] += looks * (number == 0 and doing is Doing.WAITING)
        if places and package:
            packages.setdefault(places[0], Counter())[package] += looks
    order = {place: number for number, place in enumerate(counts)}
    return (
        tuple(
            Samples(
                *place,
                total,
                own,
                python,
                waited,
                dict(packages.get(place, {})),
                _told(calls.get(place)),
            )
            for place, (total, own, python, waited) in counts.items()
        ),
        tuple(
            Stack(tuple(order[place] for place in places), looks)
            for places, looks in stacks.items()
        ),
    )


def _told(calls: Counter[tuple[str, ...]] | None) -> dict[str, int]:
    return {"/".join(names): looks for names, looks in [*(calls or {}).items()]}
