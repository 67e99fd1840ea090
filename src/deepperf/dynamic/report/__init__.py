"""The report on a run: a file per format, each with `show(report, screen) -> str`."""

from __future__ import annotations

import hashlib
import importlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from deepperf.dynamic.diagnosis import Diagnosis, busiest
from deepperf.dynamic.join import Checked
from deepperf.dynamic.recorded import Recording, Text, Told
from deepperf.dynamic.recording.trace import Trace, shown_path
from deepperf.dynamic.wishes import Wishes
from deepperf.outputs.paint import PLAIN, Paint
from deepperf.records import Level
from deepperf.semantics.text.source import LARGEST_BYTES

AROUND = 2
"""Lines of source shown before and after the one that is meant."""
NOT_CLOSED = "deepperf was killed before it could say what the run lost: only its times are here"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with a run, the most costly first, and where its time goes otherwise."""

    findings: tuple[Diagnosis, ...]
    notes: tuple[Diagnosis, ...]
    lines: tuple[tuple[str, int, str, float], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A run and what is said of it.

    `checked` are the static findings of the files that ran; `silenced` counts what settings
    and comments silence; `level` is the lowest level to show; `remarks` say in one line each
    what could not be done; `texts` are lines of source by file and number; `processes` are all
    that ran, that of `trace` the first.
    """

    trace: Trace
    verdict: Verdict
    checked: tuple[Checked, ...]
    silenced: int
    level: Level
    remarks: tuple[str, ...]
    texts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    processes: tuple[Trace, ...] = ()

    def source_around(self, file: str, line: int) -> tuple[SourceLine, ...]:
        """The lines around one of a file, as far as the recording has them."""
        lines = self.texts.get(file, {})
        near = range(line - AROUND, line + AROUND + 1)
        return tuple(SourceLine(at, lines[at], at == line) for at in near if at in lines)


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


def shown(report: Report, format_name: str, screen: Screen) -> str:
    """A report in one of `FORMATS`. Raises `WrongUse` where what makes it is not installed."""
    module = importlib.import_module(f"{__name__}.{format_name}")
    return cast(str, module.show(report, screen))


def report_on(recording: Recording, wishes: Wishes) -> Report:
    """What is said of a run, as far as it is wished for. Raises `WrongUse` for unknown names."""
    trace = recording.trace
    told = recording.told or Told((), busiest(trace), (), (), Level.WARNING, (NOT_CLOSED,))
    is_shown = wishes.is_shown()
    kept = [item for item in told.diagnoses if is_shown(item.names, item.choice)]
    verdict = Verdict(
        tuple(item for item in kept if not item.is_note),
        tuple(item for item in kept if item.is_note),
        told.lines,
    )
    return Report(
        trace=trace,
        verdict=verdict,
        checked=tuple(item for item in told.checked if is_shown((item.rule,), item.choice)),
        silenced=len(told.diagnoses) - len(kept),
        level=wishes.level or told.level,
        remarks=told.remarks,
        texts={text.file: dict(text.lines) for text in told.texts},
        processes=recording.processes,
    )


def differences(recording: Recording, folder: Path) -> Iterator[str]:
    """A remark for each file that ran whose namesake in a folder is another by now.

    Nothing but digests of regular files below the folder is looked at, whatever a trace names.
    """
    top = os.path.realpath(folder)
    for text in recording.told.texts if recording.told else ():
        name = shown_path(recording.trace, text.file)
        if not os.path.isabs(name) and _differs(os.path.join(top, name), text):
            yield f"since the run, {name} has changed: the lines shown are those that ran"


def _differs(path: str, text: Text) -> bool:
    try:
        found = os.lstat(path)
        is_here = stat.S_ISREG(found.st_mode) and os.path.realpath(path) == path
        if not is_here or found.st_size > LARGEST_BYTES:
            return False
        if found.st_size != text.size:
            return True
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() != text.sha256
    except (OSError, ValueError):
        # What is not here, or no name of a file at all, differs from nothing.
        return False


def step_seconds(trace: Trace) -> float:
    """The mean time of a step, 0 where no clock ticked twice."""
    clock = trace.clock
    if clock is None or clock.count < 2:
        return 0.0
    return (clock.last - clock.first) / (clock.count - 1)


def cost_of(trace: Trace) -> str:
    """What watching took of the processor, and what of that before the program began."""
    program = max(0.0, trace.cpu_seconds - trace.overhead)
    part = f" ({trace.overhead / program:.1%} of the program's)" if program else ""
    start = f", and {duration(trace.startup)} to start" if trace.startup else ""
    return f"{duration(trace.overhead)} of CPU{part}{start}"


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
