"""The report as one file for a browser, which needs no network."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepperf.dynamic.diagnosis import Diagnosis, Standing, Weight
from deepperf.dynamic.recording.trace import Trace, shown_path
from deepperf.dynamic.report import Report, Screen, cost_of, duration, size, step_seconds
from deepperf.dynamic.report.calls import Call, calls_of
from deepperf.dynamic.report.charts import HEIGHT, WIDTH, memory_of, steps_of
from deepperf.outputs.page import page_environment


@dataclass(frozen=True, slots=True)
class Box:
    """A call, as wide as its part of the one around it, in per cent."""

    number: int
    name: str
    said: str
    width: float
    is_library: bool
    inner: tuple[Box, ...]


TEMPLATE = Path(__file__).with_name("page.html.jinja")
MOST_PROCESSES = 16
"""Other processes that are shown, those that computed most."""
HEAVY = 0.2
"""Share from which a finding is shown as grave."""


def show(report: Report, _: Screen) -> str:
    """The page, of every level. Raises `WrongUse` where what makes it is not installed."""
    template = page_environment().from_string(TEMPLATE.read_text(encoding="utf-8"))
    trace = report.trace
    return template.render(
        report=report,
        trace=trace,
        verdict=report.verdict,
        command=" ".join([*map(os.path.basename, trace.command[:1]), *trace.command[1:]]),
        folder=os.path.basename(trace.folder),
        steps=steps_of(trace),
        memory=memory_of(trace),
        boxes=_boxes(trace, calls_of(trace), itertools.count(1)),
        processes=[(one, memory_of(one)) for one in report.processes[1 : MOST_PROCESSES + 1]],
        width=WIDTH,
        height=HEIGHT,
        peak=trace.peak,
        cost=cost_of(trace),
        step=step_seconds(trace),
        duration=duration,
        size=size,
        path=lambda file: shown_path(trace, file),
        source=report.source_around,
        line_of=lambda file, line: report.texts.get(file, {}).get(line, "").strip(),
        of=lambda item: "of the time" if item.weight is Weight.TIME else "of the memory",
        is_confirmed=_is_confirmed,
        is_heavy=lambda item: item.share >= HEAVY,
    )


def _boxes(
    trace: Trace, calls: Sequence[Call], numbers: Iterator[int], whole: float = 0.0
) -> tuple[Box, ...]:
    """Calls within one of `whole` looks; the outermost within the sum of theirs."""
    looks = max(whole, sum(call.looks for call in calls), 1e-9)
    return tuple(
        Box(
            number=next(numbers),
            name=call.name,
            said=f"{call.looks / max(1, trace.sampled):.1%} of the time, "
            f"{duration(call.looks * trace.interval)}",
            width=100 * call.looks / looks,
            is_library=not call.file,
            inner=_boxes(trace, call.calls, numbers, call.looks),
        )
        for call in calls
    )


def _is_confirmed(item: Diagnosis) -> bool:
    return item.standing is Standing.CONFIRMED
