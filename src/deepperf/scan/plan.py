"""Shares packages out into batches, and sees to it that each gives a result."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence

from deepperf.scan.cage import Broken
from deepperf.scan.engines import Answer, Engine
from deepperf.scan.package import Batch, Limits, Package, Scanned, Spent, State

MOST = 50
BYTES = 4 * 1024**2
PARTS = 8
"""Batches for each worker at least, so that all end at about the same time."""
AHEAD = 2
LOSSES = 3
"""Times that a machine may be lost with a package: in company once, and alone."""
BEAT = 1.0


def batches(
    packages: Sequence[Package], limits: Limits, engine: str, slots: int
) -> Iterator[Batch]:
    """The packages, the largest first, small ones together."""
    ordered = sorted(packages, key=lambda one: (-one.size, one.key))
    whole = sum(one.size for one in ordered)
    fair = min(BYTES, whole // max(1, slots * PARTS))
    most = min(MOST, max(1, len(ordered) // max(1, slots * PARTS)))
    group: list[Package] = []
    load = 0
    for package in ordered:
        if group and (load + package.size > fair or len(group) >= most):
            yield Batch(tuple(group), limits, engine)
            group, load = [], 0
        group.append(package)
        load += package.size
    if group:
        yield Batch(tuple(group), limits, engine)


def drive(
    work: Sequence[Batch],
    engine: Engine,
    keep: Callable[[Scanned], None],
    beat: Callable[[], None] = lambda: None,
) -> None:
    """Have every batch scanned; `keep` gets one result for each package, as they come.

    What was lost with a machine is tried again, each package alone; at last it is a result that
    says so. `beat` is called about every second. Raises `Broken`.
    """
    waiting = deque(work)
    pending: dict[Answer, Batch] = {}
    losses: Counter[tuple[str, str]] = Counter()
    while waiting or pending:
        while waiting and len(pending) < engine.slots * AHEAD:
            batch = waiting.popleft()
            pending[engine.submit(batch)] = batch
        for answer in engine.first(pending, BEAT):
            batch = pending.pop(answer)
            try:
                results = answer.result()
            except Broken:
                raise
            except Exception as error:  # noqa: BLE001 - of whatever engine it is
                for package in batch.packages:
                    losses[package.key] += 1
                    if losses[package.key] < LOSSES:
                        waiting.append(Batch((package,), batch.limits, batch.engine))
                    else:
                        keep(_lost(package, error))
            else:
                for result in results:
                    keep(result)
        beat()


def _lost(package: Package, error: Exception) -> Scanned:
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    spent = Spent(tries=LOSSES)
    return Scanned(package.name, package.version, State.LOST, said, spent=spent)
