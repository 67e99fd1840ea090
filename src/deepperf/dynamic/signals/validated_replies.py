"""What a web service answers is checked and written value by value, for a good part of the time."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis, told_at
from deepperf.dynamic.frameworks.requests import REQUESTS
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "validated-replies"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
CHECKS = "pydantic"
"""The package by which FastAPI checks what functions return, and writes it as JSON."""
FROM_LOOP = ("BaseEventLoop.run_until_complete", "BaseEventLoop._run_once", "Runner.run")
"""What calls it then: what the user's own functions have checked is theirs."""
FEWEST = 32
"""Requests: fewer are a trial."""
COSTLY = 0.05
"""Share of the run from which on smaller answers are worth it."""
MOSTLY = 0.5
"""Part of all requests from which on one function's are what it is about."""


def watch(_tape: Tape) -> None:
    """Nothing: requests are counted, and where the time goes is looked at anyway."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The function that answers most requests, where checking what it returns takes long."""
    asked = [seen for seen in trace.observations if seen.kind == REQUESTS]
    most = max(asked, key=lambda seen: seen.seconds, default=None)
    looks = sum(
        seen.packages.get(CHECKS, 0)
        for seen in trace.samples
        if any(not set(FROM_LOOP).isdisjoint(way.split("/")) for way in seen.calls)
    )
    share = looks / trace.sampled if trace.sampled else 0.0
    if most is None or most.count < FEWEST or share < COSTLY:
        return
    if most.seconds < MOSTLY * sum(seen.seconds for seen in asked):
        return
    each = 1000 * looks * trace.interval / most.count
    yield told_at(
        most,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"what `{most.function}` returns is checked and written value by value",
        evidence=(
            f"FastAPI and pydantic take {each:,.3g} ms of each of {most.count:,} requests for it, "
            "in which the event loop serves no other"
        ),
        remedy=(
            "return only what is read, give long lists in parts, or return a `Response` that is "
            "written at once from arrays, without a model for each element"
        ),
        share=share,
    )
