"""The run as a trace of Chrome's format, for Perfetto and other viewers of traces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from deepperf.dynamic.recording.trace import Trace, shown_path
from deepperf.dynamic.report import Report, Screen
from deepperf.dynamic.report.calls import Call, calls_of
from deepperf.dynamic.report.charts import holders_of

MICROSECONDS = 1e6
CALLS, STEPS, OTHERS = 1, 2, 10
"""Numbers of the tracks of a process."""


def show(report: Report, _: Screen) -> str:
    """The trace, of all processes."""
    processes = report.processes or (report.trace,)
    document = {
        "displayTimeUnit": "ms",
        "otherData": {
            "command": " ".join(report.trace.command),
            "began": report.trace.began,
            "remarks": list(report.remarks),
        },
        "traceEvents": [event for trace in processes for event in _events(report, trace)],
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


def _events(report: Report, trace: Trace) -> Iterator[dict[str, Any]]:
    number = trace.process
    yield _named("process_name", number, 0, trace.role or "python")
    yield _named("thread_name", number, CALLS, "where the time goes (the longest first)")
    said = {(item.file, item.line): item.message for item in report.verdict.findings}
    yield from _slices(trace, calls_of(trace), 0.0, said)
    for at, held in trace.memory:
        yield _counter(number, "memory", at, {"bytes": held})
    for holder in holders_of(trace):
        for at, held in holder.points:
            yield _counter(number, f"held by {holder.name}", at, {"bytes": held})
    clock = trace.clock
    if clock is not None and len(clock.points) > 1:
        yield _named("thread_name", number, STEPS, clock.name)
        for before, after in zip(clock.points, clock.points[1:], strict=False):
            yield _slice(
                number,
                STEPS,
                f"up to step {after[0]:,}",
                before[1],
                after[1] - before[1],
                {"longest step in ms": 1000 * after[2]},
            )
    for place, thread in enumerate(trace.threads, OTHERS):
        yield _named("thread_name", number, place, f"{thread.name} ({thread.count})")
        begin = 0.0
        for seen in sorted(thread.samples, key=lambda one: -one.own):
            name = f"{shown_path(trace, seen.file)}:{seen.line} {seen.function}"
            if seen.own:
                yield _slice(number, place, name, begin, seen.own * trace.interval, {})
                begin += seen.own * trace.interval


def _slices(
    trace: Trace, calls: Iterable[Call], begin: float, said: dict[tuple[str, int], str]
) -> Iterator[dict[str, Any]]:
    """Calls beside each other, what they call below them."""
    for call in calls:
        seconds = call.looks * trace.interval
        told = said.get((call.file, call.line))
        detail = {"finding": told} if told else {}
        yield _slice(trace.process, CALLS, call.name, begin, seconds, detail)
        yield from _slices(trace, call.calls, begin, said)
        begin += seconds


def _slice(
    process: int, track: int, name: str, begin: float, seconds: float, detail: dict[str, Any]
) -> dict[str, Any]:
    return {
        "ph": "X",
        "pid": process,
        "tid": track,
        "name": name,
        "ts": begin * MICROSECONDS,
        "dur": seconds * MICROSECONDS,
        "args": detail,
    }


def _counter(process: int, name: str, at: float, values: dict[str, int]) -> dict[str, Any]:
    return {"ph": "C", "pid": process, "name": name, "ts": at * MICROSECONDS, "args": values}


def _named(what: str, process: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": process, "tid": track, "name": what, "args": {"name": name}}
