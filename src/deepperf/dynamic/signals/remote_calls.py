"""Training stands still in most of its steps for an answer over the network."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.counted_calls import count_calls, counted_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "remote-calls"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "abnormal-gpu-utilization")
SENDERS = {
    "requests.sessions": ("Session.request",),
    "httpx": ("Client.send",),
    "urllib.request": ("urlopen",),
    "urllib3": ("PoolManager.urlopen",),
}
"""What sends a request and waits for the answer. What is sent from a coroutine waits for nobody."""
MANY = 12
"""Steps in which something was sent: fewer are epochs."""
EVERY = 0.2
"""Part of all steps from which on it belongs to the steps."""
LEAST = 0.005
"""Share of the run below which it is not worth a word."""


def watch(tape: Tape) -> None:
    """Time the requests that the program sends in its main thread."""
    for home, names in SENDERS.items():
        count_calls(tape, NAME, home, names)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that send in many steps."""
    steps = max(trace.steps.values(), default=0)
    for seen, each in counted_of(trace, NAME):
        # A thread that sends is what is advised.
        if 2 * seen.detail.get("aside", 0) > seen.count:
            continue
        share = share_of_seconds(trace, seen.seconds)
        sent = seen.detail["steps"]
        if not steps or sent < max(MANY, EVERY * steps) or share < LEAST:
            continue
        often = f", {each:.1f} requests in each" if each >= 1.5 else ""
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-api-usage",
            message="training waits in its steps for an answer over the network",
            evidence=(
                f"in {sent:,} of {steps:,} steps{often}; {seen.seconds:.2f} s in all, "
                f"{1000 * seen.seconds / seen.count:,.0f} ms for each request"
            ),
            remedy="let a thread send from a queue, or send many steps at once, over one session "
            "that keeps its connection",
            weight=Weight.TIME if share >= FLOOR else Weight.HINT,
            share=share,
        )
