"""Scans on a Ray cluster: that of an address, or one of this machine's own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager

from deepperf.config.options import WrongUse
from deepperf.scan.cage import scan_batch
from deepperf.scan.engines import Engine

PATIENCE = 10.0
"""Seconds for a connection: Ray itself tries an address where nothing listens for minutes."""


@contextmanager
def ray(address: str, workers: int) -> Iterator[Engine]:
    """The cluster at `address`; without one, `workers` cores of this machine."""
    import ray as cluster

    place = address.removeprefix("ray://")
    # Others, as `auto` or `local`, are no places, and of some schemes only Ray knows.
    if ":" in place and "://" not in place:
        _reach(address)
    own = {} if address else {"num_cpus": workers, "include_dashboard": False}
    try:
        cluster.init(address=address or None, log_to_driver=False, configure_logging=False, **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise WrongUse(f"no Ray cluster at {address}: {error}") from None
    try:
        work = cluster.remote(scan_batch).options(max_retries=1)
        slots = int(cluster.cluster_resources().get("CPU", workers))
        yield Engine(lambda batch: work.remote(batch).future(), wait, max(1, slots))
    finally:
        cluster.shutdown()


def _reach(address: str) -> None:
    """Raises `WrongUse` where nothing listens at `host:port` or `ray://host:port`."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, ValueError) as error:
        raise WrongUse(f"no Ray cluster at {address}: {error}") from None
