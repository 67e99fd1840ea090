"""A whole scan: what was done before is left, what is asked is shared out, results are kept."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from deepperf.scan.engines import Engine
from deepperf.scan.package import Package, Scanned
from deepperf.scan.plan import batches, drive
from deepperf.scan.store import Run, journal, keep, known_trees, seal

LEAST = 4096
"""Bytes that a package counts as at least, to tell how far a scan is."""
_PARTS = ("deepperf", "duckdb", "distributed", "ray")


def run_scan(
    packages: Sequence[Package],
    store: Path,
    run: Run,
    engine: Engine,
    told: Callable[[Scanned], None] = lambda _: None,
    beat: Callable[[], None] = lambda: None,
) -> Run:
    """Scan the packages that the run does not have yet, and make tables of all.

    `told` hears of each result once it is kept. Raises `WrongUse`.
    """
    begin = time.monotonic()
    known = known_trees(store, run.engine)
    with journal(store, run) as rows:
        waiting = [
            replace(one, known=known.get(one.name, ()))
            for one in packages
            if one.key not in rows.done
        ]

        def kept(result: Scanned) -> None:
            keep(rows, result)
            told(result)

        drive(tuple(batches(waiting, run.limits, run.engine, engine.slots)), engine, kept, beat)
    done = replace(run, seconds=run.seconds + time.monotonic() - begin)
    seal(store, done)
    return done


def one_of_each(packages: Iterable[Package]) -> tuple[Package, ...]:
    """The packages, in order of name; of those with one name and version the first."""
    found: dict[tuple[str, str], Package] = {}
    for package in packages:
        found.setdefault(package.key, package)
    return tuple(found[key] for key in sorted(found))


def weight(package: Package) -> float:
    """How much of a scan it is."""
    return max(LEAST, package.size)


def this_machine() -> dict[str, str | int]:
    """What this machine is, as far as times depend on it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "system": f"{platform.system()} {platform.release()}",
        "cpu": _processor(),
        "cores": os.cpu_count() or 1,
        "memory": memory,
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line)
    return next(names, platform.machine())


def versions() -> dict[str, str]:
    """The versions of what takes part in a scan."""
    found = {"python": platform.python_version()}
    for name in _PARTS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
