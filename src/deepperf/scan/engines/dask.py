"""Scans on a Dask cluster: that of a scheduler, or one of this machine's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import wait
from contextlib import contextmanager
from typing import Any

from deepperf.config.options import WrongUse
from deepperf.scan.cage import scan_batch
from deepperf.scan.engines import Engine


@contextmanager
def dask(scheduler: str, workers: int) -> Iterator[Engine]:
    """The cluster at the address `scheduler`; without one, `workers` threads of this process.

    Each batch has processes of its own there, too.
    """
    import distributed

    if scheduler:
        with _connected(distributed, scheduler) as client:
            yield _engine(client, sum(client.nthreads().values()))
        return
    # Nothing of ours is computed in the threads themselves.
    options = {"threads_per_worker": workers, "processes": False, "dashboard_address": None}
    with _own(distributed, options) as cluster, _client(distributed, cluster) as client:
        yield _engine(client, workers)


def _own(library: Any, options: Mapping[str, object]) -> Any:
    return library.LocalCluster(n_workers=1, **options)


def _client(library: Any, cluster: Any) -> Any:
    return library.Client(cluster)


def _connected(library: Any, scheduler: str) -> Any:
    try:
        return library.Client(scheduler, timeout="20s")
    except (OSError, ValueError) as error:
        raise WrongUse(f"no Dask scheduler at {scheduler}: {error}") from None


def _engine(client: Any, slots: int) -> Engine:
    # What a lost machine was doing goes to others; the scan itself tries again after that.
    executor = client.get_executor(pure=False, retries=1)
    return Engine(lambda batch: executor.submit(scan_batch, batch), wait, max(1, slots))
