"""The report as one file for a browser, which needs no network."""

from __future__ import annotations

import os
from pathlib import Path

from deepperf.dynamic.diagnosis import Diagnosis, Standing, Weight
from deepperf.dynamic.recording.trace import shown_path
from deepperf.dynamic.report import Report, Screen, cost_of, duration, size, step_seconds
from deepperf.dynamic.report.charts import HEIGHT, WIDTH, memory_of, steps_of
from deepperf.outputs.page import page_environment

TEMPLATE = Path(__file__).with_name("page.html.jinja")
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


def _is_confirmed(item: Diagnosis) -> bool:
    return item.standing is Standing.CONFIRMED
