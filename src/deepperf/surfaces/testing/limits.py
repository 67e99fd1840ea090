"""What a test allows, and what is said where it was exceeded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from deepperf.config.options import WrongUse
from deepperf.dynamic.recording.places import Place
from deepperf.spelling import near

UNITS = {"": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
MOST_PLACES = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """The arguments of `@pytest.mark.deepperf`; None and false allow anything."""

    max_compilations: int | None = None
    no_graph_breaks: bool = False
    no_host_sync: bool = False
    max_forwards_per_sample: float | None = None
    max_growth: str | int | None = None

    @property
    def growth(self) -> float | None:
        """The bytes that may stay allocated."""
        return None if self.max_growth is None else bytes_of(self.max_growth)


@dataclass(frozen=True, slots=True)
class Seen:
    """How much there was of something, and at which lines."""

    amount: float
    places: Mapping[Place, float]


def limits_of(arguments: Mapping[str, object]) -> Limits:
    """The limits that a mark sets. Raises `WrongUse` for what it cannot."""
    names = [field.name for field in fields(Limits)]
    for name in arguments:
        if name not in names:
            raise WrongUse(f"there is no limit {name!r}{near(name, names)}")
    limits = Limits(**arguments)  # type: ignore[arg-type]
    if limits.max_growth is not None:
        bytes_of(limits.max_growth)
    return limits


def bytes_of(size: str | int) -> float:
    """A number of bytes such as "1 MB". Raises `WrongUse` for anything else."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(size))
    if match is None or match[2] not in UNITS:
        raise WrongUse(f"{size!r} is no size such as '1 MB'")
    return float(match[1]) * UNITS[match[2]]


def seen_at(places: Counter[Place]) -> Seen:
    """What is counted by line."""
    return Seen(places.total(), places)


def complaint(said: str, seen: Seen, folder: Path) -> str:
    """What was exceeded, with the lines that did most of it."""
    ranked = sorted(seen.places.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"    {_shown(place, folder)}" for place, _ in ranked[:MOST_PLACES]]
    if len(ranked) > MOST_PLACES:
        lines.append(f"    and {len(ranked) - MOST_PLACES} more lines")
    return "\n".join((said, *lines))


def complaints(limits: Limits, seen: Mapping[str, Seen], folder: Path) -> Iterator[str]:
    """What of a test's limits was exceeded; `seen` goes by the names of limits."""
    for name, what in seen.items():
        allowed = getattr(limits, name)
        if name == "max_growth":
            exceeds = what.amount > (limits.growth or 0)
            said = f"{what.amount / 1e6:,.2f} MB are still held after the test, {allowed} allowed"
        elif name == "max_forwards_per_sample":
            exceeds = what.amount > allowed
            said = f"a model runs {what.amount:.3g} times per sample, {allowed:g} allowed"
        elif name == "max_compilations":
            exceeds = what.amount > allowed
            said = f"{what.amount:.0f} are compiled, {allowed} allowed"
        else:
            exceeds = what.amount > 0
            times = "once" if what.amount == 1 else f"{what.amount:.0f} times"
            does = "a graph breaks" if name == "no_graph_breaks" else "the host waits for a device"
            said = f"{does} {times}"
        if exceeds:
            yield complaint(f"{said} ({name}):", what, folder)


def _shown(place: Place, folder: Path) -> str:
    path = Path(place.file)
    name = path.relative_to(folder) if path.is_relative_to(folder) else path
    function = f" in {place.function}" if place.function else ""
    return f"{name.as_posix()}:{place.line}{function}"
