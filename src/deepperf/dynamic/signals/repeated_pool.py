"""A pool of processes is started again and again from one line, and each time they begin anew."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.counted_calls import count_calls, counted_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import BEGUN, Trace

NAME = "repeated-pool"
RULES = ("pool-per-iteration",)
FEWEST = 2
LOADER = "DataLoader"
"""What the processes of PyTorch's loaders are called, which a signal of their own tells of."""


def watch(tape: Tape) -> None:
    """Count the pools that are made."""
    count_calls(tape, NAME, "multiprocessing.pool", ("Pool.__init__",))
    count_calls(tape, NAME, "concurrent.futures.process", ("ProcessPoolExecutor.__init__",))


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that made several; what starting them costs is spent in other processes, and waited
    for in this one."""
    found = [seen for seen, _ in counted_of(trace, NAME) if seen.count >= FEWEST]
    seconds = _seconds_of_starts(trace, sum(seen.count for seen in found))
    for seen in found:
        share = share_of_seconds(trace, seconds * seen.count / sum(one.count for one in found))
        took = f"; {seconds:.1f} s went by until they could begin" if seconds else ""
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-api-usage",
            message="a pool of processes is started here again and again",
            evidence=f"{seen.count:,} pools; each starts its processes, and where they are "
            f"spawned, imports the program and its libraries in each of them{took}",
            remedy="make one pool before the loop and keep it, with a `chunksize` for small "
            "items; for little work use none",
            weight=Weight.TIME if share >= FLOOR else Weight.HINT,
            share=share if share >= FLOOR else 0.0,
            rule=RULES[0],
        )


def _seconds_of_starts(trace: Trace, pools: int) -> float:
    """How long pools took to begin, their processes side by side: at most as long as was waited."""
    begun = [
        seen.seconds
        for seen in trace.observations
        if seen.kind == BEGUN and not seen.detail["role"].startswith(LOADER)
    ]
    each = max(1.0, len(begun) / pools) if pools else 1.0
    waited = sum(seen.waited for seen in trace.samples) / max(1, trace.sampled)
    return min(sum(begun) / each, waited * trace.work_seconds)
