"""Checks files in several processes; what comes out does not depend on how many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from deepperf.check.engine import WorkerLost

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

SMALL = 200
"""Below this number of files starting processes costs more than it saves."""
CHUNKS_PER_WORKER = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def chunked(items: Sequence[Item], weight: Callable[[Item], int], count: int) -> list[list[Item]]:
    """`items`, in order, in at most `count` runs of about the same total weight."""
    total = sum(map(weight, items)) + len(items)
    target = max(1, total // max(1, count))
    chunks: list[list[Item]] = []
    load = target
    for item in items:
        if load >= target:
            chunks.append([])
            load = 0
        chunks[-1].append(item)
        load += weight(item) + 1
    return chunks


def in_processes(
    work: Callable[[Sequence[Item]], Sequence[Result]],
    chunks: Sequence[Sequence[Item]],
    jobs: int,
) -> Iterator[Sequence[Result]]:
    """`work` on each chunk, in up to `jobs` forked processes, as results come in.

    `work` and the chunks are inherited, not pickled; results are pickled. Works in this
    process where there is nothing to gain or no fork. Raises `WorkerLost` if a process dies.
    """
    jobs = min(jobs, len(chunks))
    if jobs <= 1:
        yield from map(work, chunks)
        return
    import multiprocessing
    from multiprocessing.connection import Connection, wait

    if "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, chunks)
        return
    context = multiprocessing.get_context("fork")
    workers: dict[Connection, ForkProcess] = {}
    waiting = iter(range(len(chunks)))
    try:
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            others = [*workers, ours]
            process = context.Process(
                target=_serve, args=(work, chunks, theirs, others), daemon=True
            )
            process.start()
            theirs.close()
            workers[ours] = process
            ours.send(next(waiting))
        pending = len(chunks)
        while pending:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                try:
                    result = connection.recv()
                except (EOFError, ConnectionError):
                    workers[connection].join()
                    code = workers[connection].exitcode
                    raise WorkerLost(_epitaph(code)) from None
                pending -= 1
                following = next(waiting, None)
                if following is not None:
                    connection.send(following)
                yield result
    finally:
        for connection, process in workers.items():
            connection.close()
            process.terminate()
        for process in workers.values():
            process.join()


def _serve(
    work: Callable[[Sequence[Item]], Sequence[Result]],
    chunks: Sequence[Sequence[Item]],
    connection: Connection,
    inherited: Iterable[Connection],
) -> None:
    """Answer each chunk's number with its results until the other side hangs up."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides, and says so once
    for other in inherited:
        other.close()
    while True:
        try:
            number = connection.recv()
        except (EOFError, OSError):
            return
        result = work(chunks[number])
        try:
            connection.send(result)
        except OSError:
            return


def _epitaph(code: int | None) -> str:
    if code is not None and code < 0:
        return f"a worker process was killed by signal {-code}; try again with --jobs 1"
    return f"a worker process ended with exit code {code}; try again with --jobs 1"
