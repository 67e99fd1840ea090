"""Runs tasks in processes of this machine."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from deepperf.scan.corpus import Package
from deepperf.scan.task import Check, Scanned, scan


def run_tasks(
    packages: Sequence[Package], folder: Path, check: Check, jobs: int
) -> Iterator[tuple[Package, Scanned]]:
    """Each package with its result, as they are done; `check` must be importable by name.

    `jobs` counts processes; with 1 the tasks run in this process, in the given order.
    """
    if jobs == 1:
        for package in packages:
            yield package, _task(package, folder, check)
        return
    # A forked child would inherit the locks of whatever threads draw the progress bar.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool:
        running = {pool.submit(_task, package, folder, check): package for package in packages}
        try:
            for done in as_completed(running):
                yield running[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _task(package: Package, folder: Path, check: Check) -> Scanned:
    # As on the command line: collecting garbage costs more than the check itself.
    gc.disable()
    try:
        return scan(package.name, package.version, package.folder(folder), check)
    finally:
        gc.enable()
        gc.collect()
