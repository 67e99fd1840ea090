"""A pool of processes is started again and again from one line, and each time they begin anew."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.counted_calls import count_calls, counted_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "repeated-pool"
RULES = ("pool-per-iteration",)
FEWEST = 2


def watch(tape: Tape) -> None:
    """Count the pools that are made."""
    count_calls(tape, NAME, "multiprocessing.pool", ("Pool.__init__",))
    count_calls(tape, NAME, "concurrent.futures.process", ("ProcessPoolExecutor.__init__",))


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that made several; what starting them costs is spent in other processes."""
    for seen, _ in counted_of(trace, NAME):
        if seen.count >= FEWEST:
            yield told_at(
                seen,
                signal=NAME,
                cause="inefficient-api-usage",
                message="a pool of processes is started here again and again",
                evidence=f"{seen.count:,} pools; each starts its processes, and where they are "
                "spawned, imports the program and its libraries in each of them",
                remedy="make one pool before the loop and keep it, with a `chunksize` for small "
                "items; for little work use none",
                weight=Weight.HINT,
            )
