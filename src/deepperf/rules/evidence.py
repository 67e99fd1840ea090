"""What was measured of a rule's pairs, stored beside its page, and what may be said of it."""

from __future__ import annotations

import enum
import functools
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepperf.records import Pair

if TYPE_CHECKING:
    from packaging.version import Version

    from deepperf.rules.registry import LoadedRule

FORMAT = 1
DISPLAY_NAMES = {
    "tensorflow": "TensorFlow",
    "keras": "Keras",
    "torch": "PyTorch",
    "jax": "JAX",
    "numpy": "NumPy",
    "transformers": "Transformers",
}
UNKNOWN_VERSION = "0"


class Status(enum.Enum):
    """What the evidence says of a rule."""

    MEASURED = "measured"  # the good side of a pair is better on the newest version measured
    PREVIEW = "preview"  # nothing was measured: off by default
    EXPIRED = "expired"  # measured, and on the newest version the good side is no better


class EvidenceError(ValueError):
    """An evidence file that cannot be read, in one line that names it."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a measurement ran. `cores` counts logical cores, `memory` is in bytes."""

    cpu: str
    cores: int
    memory: int
    gpu: str
    system: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The ratio of bad to good, with an interval at `confidence` by the method named.

    `ratio`, `low` and `high` are None where the good side is 0.
    """

    ratio: float | None
    low: float | None
    high: float | None
    confidence: float
    method: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """Both sides of one pair on one machine, one value per fresh process, in `unit`.

    The sides ran in turn, so that `bad[i]` and `good[i]` saw the same noise. `threads` is
    what each framework's pools were limited to, 0 for no limit. `tolerance` is the relative
    difference up to which the two sides' results counted as the same.
    """

    pair: str
    digest: str
    framework: str
    quantity: str
    unit: str
    size: str
    bad: tuple[float, ...]
    good: tuple[float, ...]
    comparison: Comparison
    machine: Machine
    threads: int
    python: str
    versions: tuple[tuple[str, str], ...]
    date: str
    results_equal: bool
    tolerance: float

    @property
    def version(self) -> str:
        """The version of the pair's framework."""
        return dict(self.versions).get(self.framework, UNKNOWN_VERSION)

    @property
    def shows_gain(self) -> bool:
        """Whether the bad side surely costs more than the good one."""
        if self.comparison.low is None:
            return min(self.bad) > 0
        return self.comparison.low > 1


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A pair that could not be measured, and why."""

    pair: str
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known by measurement of one rule."""

    rule: str
    measurements: tuple[Measurement, ...] = ()
    unmeasured: tuple[Unmeasured, ...] = ()


def digest(pair: Pair) -> str:
    """The SHA-256 of what is measured: the files of both sides and the workload."""
    content = [[[file.path, file.text] for file in side] for side in (pair.bad, pair.good)]
    return hashlib.sha256(json.dumps([content, pair.workload]).encode()).hexdigest()


def status(evidence: Evidence) -> Status:
    """The rule's status: the newest version of any framework that shows a gain decides."""
    if not evidence.measurements:
        return Status.PREVIEW
    if any(measurement.shows_gain for measurement in current(evidence)):
        return Status.MEASURED
    return Status.EXPIRED


def is_preview(loaded: LoadedRule) -> bool:
    """Whether nothing was measured of the rule, so that it runs only when asked for.

    Evidence that cannot be read proves nothing.
    """
    return not _is_measured(loaded.evidence)


@functools.cache
def _is_measured(path: Path) -> bool:
    try:
        return bool(read_evidence(path, path.name).measurements)
    except EvidenceError:
        return False


def current(evidence: Evidence) -> tuple[Measurement, ...]:
    """The measurements on the newest version of each framework that was measured."""
    newest: dict[str, Version] = {}
    for measurement in evidence.measurements:
        version = _version(measurement)
        newest[measurement.framework] = max(newest.get(measurement.framework, version), version)
    return tuple(
        measurement
        for measurement in evidence.measurements
        if _version(measurement) == newest[measurement.framework]
    )


def sentence(evidence: Evidence, framework: str = "") -> str:
    """One sentence on what the smell costs in a framework, or in any for "".

    Among the current measurements that show a gain the first of the page speaks; "" when
    there is none. What was measured in another framework says nothing of this one.
    """
    gain = clearest_gain(evidence, framework)
    return describe(gain) if gain else ""


def clearest_gain(evidence: Evidence, framework: str = "") -> Measurement | None:
    """The current measurement that `sentence` tells, None where none shows a gain."""
    gains = (measurement for measurement in current(evidence) if measurement.shows_gain)
    return next((gain for gain in gains if framework in ("", gain.framework)), None)


def describe(measurement: Measurement) -> str:
    """One sentence on one measurement, whatever it shows."""
    comparison = measurement.comparison
    for_size = f" for {measurement.size}" if measurement.size else ""
    framework = DISPLAY_NAMES.get(measurement.framework, measurement.framework)
    notes = [
        f"{framework} {measurement.version}".strip(),
        _plain_processor(measurement.machine.cpu),
        measurement.date,
    ]
    where = ", ".join(note for note in notes if note)
    if comparison.ratio is None or comparison.low == comparison.high:
        bad, good = measurement.bad[0], measurement.good[0]
        unit = measurement.unit or measurement.quantity
        return f"{figure(bad)} {unit} instead of {figure(good)}{for_size} ({where})"
    interval = f"{figure(comparison.low or 0)} to {figure(comparison.high or 0)}"
    ratio = f"{figure(comparison.ratio)}x"
    if not measurement.shows_gain:
        return f"no gain in {measurement.quantity}, {ratio}{for_size} ({interval}, {where})"
    return f"{ratio} more {measurement.quantity}{for_size} ({interval}, {where})"


def stale(evidence: Evidence, pairs: Iterable[Pair]) -> tuple[str, ...]:
    """The ids of pairs whose evidence is about other code than that of `pairs`."""
    digests = {pair.id: digest(pair) for pair in pairs}
    return tuple(
        sorted(
            {
                entry.pair
                for entry in evidence.measurements
                if digests.get(entry.pair) != entry.digest
            }
        )
    )


def merged(old: Evidence, new: Evidence, pairs: Iterable[Pair]) -> Evidence:
    """`new` on top of `old`, less what is about other code than that of `pairs`.

    A measurement replaces the one of the same pair on the same machine and versions.
    """
    pairs = tuple(pairs)
    order = {pair.id: index for index, pair in enumerate(pairs)}
    digests = {pair.id: digest(pair) for pair in pairs}
    kept = {
        _identity(entry): entry
        for entry in (*old.measurements, *new.measurements)
        if digests.get(entry.pair) == entry.digest
    }
    measurements = sorted(kept.values(), key=lambda entry: (order[entry.pair], entry.date))
    measured = {entry.pair for entry in measurements}
    reasons = {entry.pair: entry for entry in (*old.unmeasured, *new.unmeasured)}
    unmeasured = [
        reasons[pair.id] for pair in pairs if pair.id in reasons and pair.id not in measured
    ]
    return replace(new, measurements=tuple(measurements), unmeasured=tuple(unmeasured))


def read_evidence(path: Path, rule: str) -> Evidence:
    """The evidence at `path`, or none when there is no such file. Raises EvidenceError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Evidence(rule)
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{path}: this evidence cannot be read: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise EvidenceError(f"{path}: this evidence is not of format {FORMAT}")
    try:
        return Evidence(
            rule=data["rule"],
            measurements=tuple(_measurement(entry) for entry in data["measurements"]),
            unmeasured=tuple(Unmeasured(**entry) for entry in data["unmeasured"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise EvidenceError(f"{path}: this evidence is not complete: {error}") from None


def write_evidence(path: Path, evidence: Evidence) -> None:
    """Write `evidence` to `path`, whole or not at all."""
    entries = [
        asdict(entry) | {"versions": dict(entry.versions)} for entry in evidence.measurements
    ]
    data = {
        "format": FORMAT,
        "rule": evidence.rule,
        "measurements": entries,
        "unmeasured": [asdict(entry) for entry in evidence.unmeasured],
    }
    written = path.with_suffix(".tmp")
    written.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    written.replace(path)


def _measurement(entry: dict[str, Any]) -> Measurement:
    values = dict(entry)
    for side in ("bad", "good"):
        values[side] = tuple(_list(values[side]))
    values["comparison"] = Comparison(**_table(values["comparison"]))
    values["machine"] = Machine(**_table(values["machine"]))
    values["versions"] = tuple(sorted(_table(values["versions"]).items()))
    return Measurement(**values)


def _list(value: object) -> list[float]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return value


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is not a table")
    return value


def _identity(entry: Measurement) -> tuple[object, ...]:
    return (entry.pair, entry.quantity, entry.machine, entry.threads, entry.python, entry.versions)


def _version(measurement: Measurement) -> Version:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(measurement.version)
    except InvalidVersion:
        return Version(UNKNOWN_VERSION)


def _plain_processor(name: str) -> str:
    """The processor's name without its maker's decoration."""
    return " ".join(re.sub(r"\((R|TM)\)|\b(CPU|Processor)\b|@", " ", name).split())


def figure(value: float) -> str:
    """Two digits that count below 100, none after the point above."""
    if value >= 9.95 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.2g}"
