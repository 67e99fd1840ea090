"""The report as one file for a browser, which needs no network."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepperf.config.options import WrongUse
from deepperf.dynamic.diagnosis import Diagnosis, Standing, Verdict, Weight
from deepperf.dynamic.report.text import shown
from deepperf.dynamic.trace import Trace

TEMPLATE = Path(__file__).with_name("page.html.jinja")
AROUND = 2
"""Lines of source shown before and after the one that is meant."""
WIDTH, HEIGHT = 720, 120


@dataclass(frozen=True, slots=True)
class SourceLine:
    number: int
    text: str
    is_meant: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """A line over time: points for SVG, and what its ends are called."""

    title: str
    points: str
    highest: str
    seconds: str


def show(trace: Trace, verdict: Verdict) -> str:
    """The page. Raises `WrongUse` where what makes it is not installed."""
    try:
        import jinja2
    except ModuleNotFoundError:
        raise WrongUse("HTML needs jinja2: pip install 'deepperf[run]'") from None
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        trace=trace,
        verdict=verdict,
        charts=tuple(_charts(trace)),
        share=trace.overhead / trace.seconds if trace.seconds else 0.0,
        peak=max((held for _, held in trace.memory), default=0),
        path=lambda file: shown(trace, file),
        source=source_around,
        of=lambda item: "of the time" if item.weight is Weight.TIME else "of the memory",
        confirmed=_is_confirmed,
    )


def _is_confirmed(item: Diagnosis) -> bool:
    return item.standing is Standing.CONFIRMED


def source_around(file: str, line: int) -> tuple[SourceLine, ...]:
    """The lines around one of a file, as far as it can be read."""
    try:
        lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    first = max(1, line - AROUND)
    listed = enumerate(lines[first - 1 : line + AROUND], start=first)
    return tuple(SourceLine(number, text, number == line) for number, text in listed)


def _charts(trace: Trace) -> Iterable[Chart]:
    if len(trace.memory) > 1:
        highest = max(held for _, held in trace.memory)
        yield _chart("Memory held", trace.memory, f"{highest / 1e6:,.0f} MB", trace.seconds)
    clock = trace.clock
    rates = _rates([(at, steps) for steps, at, _, _ in clock.points]) if clock else []
    if clock and len(rates) > 1:
        fastest = max(rate for _, rate in rates)
        title = f"{clock.name.capitalize()} per second"
        yield _chart(title, rates, f"{fastest:,.0f}", trace.seconds)


def _rates(pace: Sequence[tuple[float, int]]) -> list[tuple[float, float]]:
    """Steps per second between two points in time."""
    return [
        (end, (after - before) / (end - start))
        for (start, before), (end, after) in itertools.pairwise(pace)
        if end > start
    ]


def _chart(
    title: str, points: Sequence[tuple[float, float]], highest: str, seconds: float
) -> Chart:
    top = max(value for _, value in points) or 1.0
    span = max(points[-1][0], seconds) or 1.0
    placed = [f"{WIDTH * at / span:.1f},{HEIGHT * (1 - value / top):.1f}" for at, value in points]
    return Chart(title, " ".join(placed), highest, f"{seconds:.1f} s")
