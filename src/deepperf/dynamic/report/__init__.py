"""The report on a run: a file per format, each with `show(report, screen) -> str`."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from deepperf.config.options import WrongUse
from deepperf.dynamic.diagnosis import Verdict, diagnose
from deepperf.dynamic.join import Checked, checked, confirmed, static_findings
from deepperf.dynamic.program.text import lines_of
from deepperf.dynamic.recording.trace import Trace, read_trace
from deepperf.dynamic.wishes import Wishes, kept
from deepperf.outputs.paint import PLAIN, Paint
from deepperf.records import Finding, Level

BUSY = 0.1
"""Part of the run without a core from which on times say much of others."""
AROUND = 2
"""Lines of source shown before and after the one that is meant."""


@dataclass(frozen=True, slots=True)
class Report:
    """A run and what is said of it.

    `checked` are the static findings of the files that ran; `silenced` counts what settings
    and comments silence; `level` is the lowest level to show; `remarks` say in one line each
    what could not be done.
    """

    trace: Trace
    verdict: Verdict
    checked: tuple[Checked, ...]
    silenced: int
    level: Level
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """Where text is shown: columns, and how it is painted."""

    width: int = 100
    paint: Paint = PLAIN


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a file, and whether it is the one that is meant."""

    number: int
    text: str
    is_meant: bool


def shown_report(path: Path, format_name: str, wishes: Wishes, screen: Screen) -> str:
    """The report on the trace at `path`, in one of `FORMATS`. Raises `WrongUse`."""
    module = importlib.import_module(f"{__name__}.{format_name}")
    return cast(str, module.show(report_on(read_trace(path), wishes), screen))


def report_on(trace: Trace, wishes: Wishes) -> Report:
    """What is said of a run, held against what `check` says of the files that ran.

    Settings that are wrong cost a remark, not the report of a run that took hours.
    """
    verdict = diagnose(trace)
    remarks = [f"not all could be seen: {problem}" for problem in trace.problems]
    if trace.seconds and trace.coreless >= BUSY * trace.seconds:
        part = trace.coreless / trace.seconds
        remarks.append(
            f"others had all cores for {part:.0%} of the run, as on a busy machine: "
            "take its times with care"
        )
    silenced, level = 0, wishes.level or Level.WARNING
    try:
        left = kept(verdict, trace.folder, wishes)
        verdict, silenced, level = left.verdict, left.silenced, left.level
    except WrongUse as error:
        remarks.append(f"settings were left aside: {error}")
        wishes = replace(wishes, select=(), ignore=())
    found: tuple[tuple[str, Finding], ...] = ()
    try:
        found = tuple(static_findings(trace, wishes))
    except WrongUse as error:
        remarks.append(f"static findings were left aside: {error}")
    verdict = confirmed(verdict, found)
    return Report(
        trace=trace,
        verdict=verdict,
        checked=checked(trace, verdict, found),
        silenced=silenced,
        level=level,
        remarks=tuple(remarks),
    )


def shown_path(trace: Trace, file: str) -> str:
    """A file's path as somebody sees it who stands in the folder of the run."""
    relative = os.path.relpath(file, trace.folder)
    return file if relative.startswith("..") else relative


def source_around(file: str, line: int) -> tuple[SourceLine, ...]:
    """The lines around one of a file, as far as it can be read."""
    lines = lines_of(file)
    first = max(1, line - AROUND)
    listed = enumerate(lines[first - 1 : line + AROUND], start=first)
    return tuple(SourceLine(number, text, number == line) for number, text in listed)


def step_seconds(trace: Trace) -> float:
    """The mean time of a step, 0 where no clock ticked twice."""
    clock = trace.clock
    if clock is None or clock.count < 2:
        return 0.0
    return (clock.last - clock.first) / (clock.count - 1)


def duration(seconds: float) -> str:
    """A time as people say it: "14 ms", "2.5 s", "3 min 5 s"."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 0.01:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def size(count: float) -> str:
    """Bytes as people say them: "38 MB"."""
    return f"{count / 1e9:.1f} GB" if count >= 9.95e9 else f"{count / 1e6:,.0f} MB"
