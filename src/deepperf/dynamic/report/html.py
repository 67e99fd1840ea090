"""The report as one file for a browser, which needs no network."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

from deepperf.config.options import WrongUse
from deepperf.dynamic.diagnosis import Diagnosis, Standing, Weight
from deepperf.dynamic.recording.trace import shown_path
from deepperf.dynamic.report import Report, Screen, duration, size, step_seconds
from deepperf.dynamic.report.charts import HEIGHT, WIDTH, memory_of, steps_of
from deepperf.outputs.paint import harmless

TEMPLATE = Path(__file__).with_name("page.html.jinja")
HEAVY = 0.2
"""Share from which a finding is shown as grave."""


def show(report: Report, _: Screen) -> str:
    """The page, of every level. Raises `WrongUse` where what makes it is not installed."""
    try:
        import jinja2
        import markupsafe
    except ModuleNotFoundError:
        raise WrongUse("HTML needs a package that is not installed: jinja2") from None
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    # What steers a terminal or hides text has no business in a browser, either.
    environment.finalize = lambda value: harmless(value) if type(value) is str else value
    environment.filters["coded"] = lambda text: markupsafe.Markup(_coded(text))
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
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


def _coded(text: str) -> str:
    """HTML of a text, with what stands in backticks shown as code."""
    parts = [escape(harmless(part)) for part in text.split("`")]
    last = len(parts) - 1
    return "".join(
        part if number % 2 == 0 else f"<code>{part}</code>" if number < last else f"`{part}"
        for number, part in enumerate(parts)
    )


def _is_confirmed(item: Diagnosis) -> bool:
    return item.standing is Standing.CONFIRMED
