"""Alarms gained and lost between two runs, known again where lines have moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from deepperf.scan.merge import ScanRun
from deepperf.scan.task import Hit

Identity = tuple[str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """The hits that only the later run has, and those that only the earlier one has.

    `apart` names packages that only one of the runs looked at; their hits are in neither.
    """

    gained: tuple[Hit, ...]
    lost: tuple[Hit, ...]
    apart: tuple[str, ...]


def difference(old: ScanRun, new: ScanRun) -> Difference:
    """What changed from `old` to `new` in the packages that both looked at."""
    old_labels, new_labels = labels(old), labels(new)
    shared = set(old_labels.values()) & set(new_labels.values())
    before = _identified(old, old_labels, shared)
    after = _identified(new, new_labels, shared)
    return Difference(
        gained=tuple(hit for identity, hit in after.items() if identity not in before),
        lost=tuple(hit for identity, hit in before.items() if identity not in after),
        apart=tuple(sorted((set(old_labels.values()) | set(new_labels.values())) - shared)),
    )


def labels(run: ScanRun) -> dict[tuple[str, str], str]:
    """What each package and version of a run is called across runs.

    The name alone, so that a package is compared with its next version; with the version
    where the run holds several.
    """
    versions = Counter(result.package for result in run.results)
    return {
        (result.package, result.version): result.package
        if versions[result.package] == 1
        else f"{result.package}-{result.version}"
        for result in run.results
    }


def _identified(
    run: ScanRun, names: Mapping[tuple[str, str], str], shared: set[str]
) -> dict[Identity, Hit]:
    return {
        (label, hit.path, hit.rule, hit.text, hit.occurrence): hit
        for hit in run.hits
        if (label := names[hit.package, hit.version]) in shared
    }
