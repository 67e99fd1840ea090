"""Scans in processes of this machine."""

from __future__ import annotations

import functools
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

from deepperf.scan.cage import end, scan_batch
from deepperf.scan.engines import Engine


class _Stopped(Exception):
    """Nobody waits for the results any more."""


@contextmanager
def local(workers: int) -> Iterator[Engine]:
    """As many batches at a time as there are `workers`, while it lasts."""
    lock = threading.Lock()
    running: set[subprocess.Popen[bytes]] = set()
    stop = threading.Event()

    def started(process: subprocess.Popen[bytes]) -> None:
        with lock:
            if stop.is_set():
                raise _Stopped
            running.difference_update([one for one in running if one.returncode is not None])
            running.add(process)

    work = functools.partial(scan_batch, started=started)
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield Engine(lambda batch: pool.submit(work, batch), wait, workers)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            with lock:
                stop.set()
                for process in running:
                    if process.returncode is None:
                        end(process)
