"""Bad code, good code, and how to run both: the unit of truth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class SourceFile:
    """One file of an example: its path within the example, and its text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """The same work done badly and well.

    The first file of a side is the one that runs; the others lie beside it. `versions` maps
    a framework to the version or specifier the pair is about ("2.4", ">=2.6"); frameworks
    that it leaves out may have any. `workload` is Python source that runs a side, "" where
    there is none (`deepperf.bench.worker` says what it may define).
    """

    id: str
    framework: str
    bad: tuple[SourceFile, ...]
    good: tuple[SourceFile, ...]
    workload: str = ""
    versions: tuple[tuple[str, str], ...] = ()
