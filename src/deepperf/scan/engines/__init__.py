"""Ways to run the batches of a scan: each as `concurrent.futures` does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future
from typing import NamedTuple, Protocol

from deepperf.scan.package import Batch, Scanned

Answer = Future[tuple[Scanned, ...]]


class Wait(Protocol):
    """`concurrent.futures.wait`, or what does the same."""

    def __call__(
        self, answers: Iterable[Answer], /, timeout: float | None, return_when: str
    ) -> tuple[set[Answer], set[Answer]]: ...


class Engine(NamedTuple):
    """Where batches are scanned. `slots` is how many at a time."""

    submit: Callable[[Batch], Answer]
    wait: Wait
    slots: int

    def first(self, answers: Iterable[Answer], timeout: float) -> set[Answer]:
        """The answers that are there; waits for one, but no longer than `timeout` seconds."""
        return self.wait(answers, timeout=timeout, return_when=FIRST_COMPLETED)[0]
