"""A client for other services is made anew for each request or step, with its connections."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.counted_calls import count_calls, counted_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "client-per-request"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
CLIENTS = ("AsyncClient.__init__", "Client.__init__")
"""Those of httpx, which read the certificates of all authorities when they are made."""
FEWEST = 32
"""Clients of one line: fewer are one for each user or thread of a test."""
COSTLY = 2e-3
"""Seconds for one below which it does not read them."""


def watch(tape: Tape) -> None:
    """Count the clients that are made."""
    count_calls(tape, NAME, "httpx", CLIENTS)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that made many."""
    for seen, _ in counted_of(trace, NAME):
        each = seen.seconds / max(1, seen.count)
        if seen.count < FEWEST or each < COSTLY:
            continue
        share = _share(trace, seen)
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-api-usage",
            message="a new HTTP client is made here again and again",
            evidence=(
                f"{seen.count:,} times, {1000 * each:,.0f} ms each: every one reads the "
                "certificates again, and opens connections of its own"
            ),
            remedy="make one client when the program starts, use it for all requests, and close it "
            "at the end",
            weight=Weight.TIME if share >= FLOOR else Weight.HINT,
            share=share if share >= FLOOR else 0.0,
        )


def _share(trace: Trace, seen: Observation) -> float:
    """The share of the run; of what other threads do, that of the processor's time."""
    if not seen.detail.get("aside"):
        return share_of_seconds(trace, seen.seconds)
    worked = seen.detail.get("worked", 0.0)
    return min(1.0, worked / trace.cpu_seconds) if trace.cpu_seconds else 0.0
