"""Scans a batch in a process of its own, so that whatever becomes of it costs a row at most."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace

import msgspec

from deepperf.scan.child import GRACE, OTHER_ENGINE, READY
from deepperf.scan.corpus import CorpusError
from deepperf.scan.package import Batch, Package, Scanned, Spent, State
from deepperf.scan.trying import TRIES

Started = Callable[["subprocess.Popen[bytes]"], None]


class Broken(CorpusError):
    """Nothing can be scanned here at all; the message is one line."""


def scan_batch(batch: Batch, started: Started = lambda _: None) -> tuple[Scanned, ...]:
    """A result for each package, in their order. Raises `Broken` where none can be had.

    `started` is told of each process before it is waited for.
    """
    results: list[Scanned] = []
    failed = 0
    while waiting := batch.packages[len(results) :]:
        done = _serve(replace(batch, packages=waiting), started)
        results += done
        # Each try begins with the package at which the last one ended.
        failed = 1 if done else failed + 1
        if len(done) < len(waiting) and failed == TRIES:
            results.append(_killed(waiting[len(done)]))
            failed = 0
    return tuple(results)


def _killed(package: Package) -> Scanned:
    why = "the process that watches over it was killed"
    return Scanned(package.name, package.version, State.KILLED, why, spent=Spent(tries=TRIES))


def _serve(batch: Batch, started: Started) -> list[Scanned]:
    """The results of the packages up to one at which the process itself ended."""
    limits = batch.limits
    each = TRIES * (limits.seconds * limits.patience + 2 * GRACE)
    with tempfile.TemporaryDirectory(prefix="deepperf-batch-") as folder:
        # The order of sets must not decide what is found: it differs from process to process.
        fixed = {"TMPDIR": folder, "PYTHONHASHSEED": "0"}
        process = subprocess.Popen(
            [sys.executable, "-m", "deepperf.scan.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **fixed},
            start_new_session=True,
        )
        try:
            started(process)
            told, said = process.communicate(
                msgspec.json.encode(batch), timeout=2 * GRACE + each * len(batch.packages)
            )
        except subprocess.TimeoutExpired:
            end(process)
            told, said = process.communicate()
        except BaseException:
            end(process)
            process.communicate()
            raise
    if process.returncode == OTHER_ENGINE:
        raise Broken("the workers have other rules than this machine: install the same there")
    if not told.startswith(READY):
        reason = " ".join(said.decode(errors="replace").split())[-300:]
        if process.returncode < 0:
            return []  # somebody killed it before it began
        raise Broken(f"workers do not start: {reason or process.returncode}")
    whole = told.removeprefix(READY).split(b"\n")[:-1]
    return [msgspec.json.decode(line, type=Scanned) for line in whole]


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process of `scan_batch` and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
