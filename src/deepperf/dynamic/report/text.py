"""The report for a terminal: one screen, the most costly first, with bars."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from deepperf.dynamic.diagnosis import Diagnosis, Standing, Weight
from deepperf.dynamic.join import Outcome
from deepperf.dynamic.recording.trace import Trace, shown_path
from deepperf.dynamic.report import Report, Screen, duration, size, step_seconds
from deepperf.outputs.paint import harmless
from deepperf.outputs.results import counted
from deepperf.records import Level, Role

BAR = 12
NARROWEST, WIDEST = 60, 100
"""Columns; longer lines are hard to read."""
IN_FULL = 3
"""Findings that are told in full on one screen; more of them get a line each."""
MOST_FINDINGS = 6
MOST_NOTES = 3
MOST_CHECKED = 3
MOST_LINES = 6
HEAVY = 0.2
"""Share from which a finding is painted as an error is."""


def show(report: Report, screen: Screen) -> str:
    """The whole report as text."""
    blocks = (
        _head(report.trace, screen),
        *_findings(report, screen),
        _busiest(report, screen),
        *_notes(report, screen),
        _checked(report, screen),
        _foot(report, screen),
    )
    shown = (list(block) for block in blocks)
    return "\n\n".join("\n".join(block) for block in shown if block) + "\n"


def _head(trace: Trace, screen: Screen) -> Iterator[str]:
    paint = screen.paint
    command = [os.path.basename(trace.command[0]), *trace.command[1:]] if trace.command else []
    yield paint(paint.place, "deepperf: " + harmless(" ".join(command)))
    parts = [f"ran {duration(trace.work_seconds)}"]
    if trace.importing >= 0.05 * trace.seconds:
        parts[0] += f" after {duration(trace.importing)} of imports"
    parts.append(f"{duration(trace.cpu_seconds)} of CPU")
    if trace.peak:
        parts.append(f"at most {size(trace.peak)} held")
    if trace.clock is not None and trace.clock.count > 1:
        steps = f"{trace.clock.count:,} {trace.clock.name}"
        parts.append(f"{steps}, {duration(step_seconds(trace))} each")
    if trace.ended != "exit":
        parts.append("the program did not finish")
    yield from _wrapped("; ".join(parts), "", screen)


def _findings(report: Report, screen: Screen) -> Iterator[Sequence[str]]:
    shown = report.verdict.findings
    is_whole = report.level is Level.NOTE
    full = shown if is_whole else shown[:IN_FULL]
    for item in full:
        yield list(_in_full(report, item, screen))
    rest = shown[len(full) :]
    lines = [_headline(report.trace, item, screen) for item in rest[: MOST_FINDINGS - IN_FULL]]
    if len(rest) > len(lines):
        more = counted(len(rest) - len(lines), "more finding")
        lines.append(f"{more}: --level note shows all in full")
    yield lines


def _headline(trace: Trace, item: Diagnosis, screen: Screen) -> str:
    paint = screen.paint
    colour = paint.error if item.share >= HEAVY else paint.warning
    filled = min(BAR, round(item.share * BAR))
    bar = paint(colour, "█" * filled) + paint(paint.faint, "·" * (BAR - filled))
    of = "of the time" if item.weight is Weight.TIME else "of the memory"
    also = ", as check says" if item.standing is Standing.CONFIRMED else ""
    name = paint(paint.rule, item.rule or item.signal)
    share = paint(colour, f"{item.share:4.0%}")
    return f"{bar} {share} {of}  {_place(trace, item, screen)} {name}{also}"


def _in_full(report: Report, item: Diagnosis, screen: Screen) -> Iterator[str]:
    paint = screen.paint
    yield _headline(report.trace, item, screen)
    yield from _wrapped(item.message, "    ", screen)
    meant = report.texts.get(item.file, {}).get(item.line, "").strip()
    if meant:
        space = max(10, screen.width - 10)
        text = harmless(meant)
        text = text if len(text) <= space else text[: space - 1] + "…"
        yield f"{paint(paint.faint, str(item.line).rjust(7))} {paint(paint.faint, '|')} {text}"
    yield from _labelled("seen:", item.evidence, screen)
    yield from _labelled("instead:", item.remedy, screen)


def _busiest(report: Report, screen: Screen) -> Iterator[str]:
    paint, lines = screen.paint, report.verdict.lines
    if report.verdict.findings:
        # Many findings say it already, and leave no room.
        is_needed = len(report.verdict.findings) <= IN_FULL
        lines = lines[: MOST_LINES // 2 * is_needed]
        yield from ["The time goes to:"] if lines else []
    elif lines:
        yield "Nothing wrong found. The time goes to:"
        lines = lines[:MOST_LINES]
    else:
        yield "Nothing was recorded: the program ended too soon."
    for file, line, function, share in lines:
        place = f"{shown_path(report.trace, file)}:{line}"
        where = paint(paint.faint, f"in {harmless(function)}")
        yield f"    {share:4.0%}  {paint(paint.place, harmless(place))} {where}"


def _notes(report: Report, screen: Screen) -> Iterator[Sequence[str]]:
    notes = report.verdict.notes
    if not notes or report.level is Level.ERROR:
        return
    paint = screen.paint
    shown = notes if report.level is Level.NOTE else notes[:MOST_NOTES]
    tests = ", or is in tests" if any(item.role is Role.TEST for item in shown) else ""
    lines = [f"Notes, of what costs little or an unknown amount{tests}:"]
    for item in shown:
        name = paint(paint.rule, item.rule or item.signal)
        told = f"{_place(report.trace, item, screen)} {name}: "
        if report.level is Level.NOTE:
            lines += _wrapped(f"{item.message} ({item.evidence})", "    ", screen, told)
        else:
            lines.append(_cut(f"{item.message} ({item.evidence})", "    ", screen, told))
    if len(notes) > len(shown):
        lines.append(f"    and {len(notes) - len(shown)} more: --level note")
    yield lines


def _checked(report: Report, screen: Screen) -> Iterator[str]:
    """What became of the static findings: those that the run has already told of are counted."""
    if not report.checked:
        return
    paint = screen.paint
    counts = Counter(item.outcome for item in report.checked)
    told = ", ".join(f"{counts[one]} {one.value}" for one in Outcome if counts[one])
    yield f"Static findings of these files: {told}."
    is_whole = report.level is Level.NOTE
    rest = [item for item in report.checked if is_whole or item.outcome is not Outcome.CONFIRMED]
    shown = rest if is_whole else rest[:MOST_CHECKED]
    for item in shown:
        place = paint(paint.place, harmless(f"{shown_path(report.trace, item.file)}:{item.line}"))
        label = f"{item.outcome.value:9} {place} {paint(paint.rule, item.rule)}: "
        yield _cut(item.said, "    ", screen, label)
    if len(rest) > len(shown):
        yield f"    and {len(rest) - len(shown)} more: --level note"


def _foot(report: Report, screen: Screen) -> Iterator[str]:
    trace = report.trace
    share = trace.overhead / trace.seconds if trace.seconds else 0.0
    yield f"Recording took {duration(trace.overhead)} ({share:.1%} of the run)."
    if report.silenced:
        yield f"{report.silenced} silenced by settings and comments."
    for remark in report.remarks:
        yield from _wrapped(remark[:1].upper() + remark[1:], "", screen)


def _place(trace: Trace, item: Diagnosis, screen: Screen) -> str:
    place = f"{shown_path(trace, item.file)}:{item.line}" if item.file else "the whole run"
    return screen.paint(screen.paint.place, harmless(place))


def _labelled(label: str, text: str, screen: Screen) -> Iterator[str]:
    told = screen.paint(screen.paint.faint, label) + " "
    yield from _wrapped(text, "    ", screen, told, len(label) + 1)


def _columns(screen: Screen) -> int:
    return max(NARROWEST, min(WIDEST, screen.width))


def _wrapped(
    text: str, indent: str, screen: Screen, painted: str = "", columns: int | None = None
) -> Iterator[str]:
    """`text` in lines behind what is already painted, which takes so many columns."""
    taken = _visible(painted) if columns is None else columns
    lines = textwrap.wrap(
        harmless(text),
        _columns(screen),
        initial_indent=indent + " " * taken,
        subsequent_indent=indent + "  " * bool(painted),
        break_on_hyphens=False,
    )
    for number, line in enumerate(lines or [indent]):
        yield indent + painted + line[len(indent) + taken :] if number == 0 else line


def _cut(text: str, indent: str, screen: Screen, painted: str) -> str:
    space = max(20, _columns(screen) - len(indent) - _visible(painted))
    text = harmless(text)
    return indent + painted + (text if len(text) <= space else text[: space - 1] + "…")


def _visible(painted: str) -> int:
    """The columns that a painted text takes: escape sequences take none."""
    parts = painted.split("\x1b[")
    return len(parts[0]) + sum(len(part.partition("m")[2]) for part in parts[1:])
