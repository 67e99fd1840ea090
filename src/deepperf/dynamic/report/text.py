"""The report for a terminal: one screen, the most costly first, with bars."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from deepperf.dynamic.diagnosis import Diagnosis, Standing, Weight, parts_of_call
from deepperf.dynamic.frameworks.requests import REQUESTS
from deepperf.dynamic.join import Outcome
from deepperf.dynamic.processes import cpu_seconds_of, kinds_of, ranks_of, unwatched_seconds
from deepperf.dynamic.recording.trace import Trace, shown_path
from deepperf.dynamic.report import Report, Screen, cost_of, duration, size, step_seconds
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
MOST_PARTS = 5
MAIN_THREAD = "the main thread"
OF_THREADS = 0.05
"""Part of the processor's time from which on threads are told of."""
SLOWER = 1.25
"""How many times as long as another rank one computes from which on it is told as the slowest."""
SEEN = 0.5
"""Seconds of processes that were not watched from which on they are told of."""
UNWATCHED = 0.05
"""Seconds from which on it is told that only a part of the run was watched."""
HEAVY = 0.2
"""Share from which a finding is painted as an error is."""


def show(report: Report, screen: Screen) -> str:
    """The whole report as text."""
    blocks = (
        _head(report.trace, screen),
        *_findings(report, screen),
        _busiest(report, screen),
        _requests(report, screen),
        _threads(report, screen),
        _processes(report, screen),
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
    if trace.unwatched >= UNWATCHED:
        parts.append(f"{duration(trace.unwatched)} more were not watched")
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
        is_part = report.trace.unwatched > report.trace.seconds
        yield "Nothing was recorded: " + (
            "the part that was watched was too short, imports left out."
            if is_part
            else "the program ended too soon."
        )
    for file, line, function, share in lines:
        place = f"{shown_path(report.trace, file)}:{line}"
        where = paint(paint.faint, f"in {harmless(function)}{_at_work(report, file, line)}")
        yield f"    {share:4.0%}  {paint(paint.place, harmless(place))} {where}"
        parts = parts_of_call(report.trace, file, line)[:MOST_PARTS]
        if parts:
            told = ", ".join(f"{name} {part:.0%}" for name, part in parts)
            yield _cut(told, " " * 10, screen, "")


def _at_work(report: Report, file: str, line: int) -> str:
    """What does most of the work of a line, where that is not the line itself."""
    seen = [one for one in report.trace.samples if (one.file, one.line) == (file, line)]
    own, waited = sum(one.own for one in seen), sum(one.waited for one in seen)
    if waited > own / 2:
        return ", waiting"
    packages: Counter[str] = Counter()
    for one in seen:
        packages.update(one.packages)
    package, looks = max(packages.items(), key=lambda item: item[1], default=("", 0))
    return f", by {harmless(package)}" if looks > own / 2 else ""


def _requests(report: Report, screen: Screen) -> Iterator[str]:
    """How long a web service took for its requests, those that took most in all first."""
    served = [seen for seen in report.trace.observations if seen.kind == REQUESTS]
    if served:
        yield "Requests:"
    for seen in sorted(served, key=lambda seen: -seen.seconds)[:MOST_LINES]:
        place = f"{shown_path(report.trace, seen.file)}:{seen.line}"
        line = f"{seen.count:,} of {seen.function} at {place}, "
        line += f"{duration(seen.seconds / seen.count)} each, at most "
        yield _cut(line + duration(seen.detail["longest"]), "    ", screen, "")


def _threads(report: Report, screen: Screen) -> Iterator[str]:
    """What computes, where that is not the main thread alone."""
    trace = report.trace
    whole = trace.cpu_seconds
    parts = [(MAIN_THREAD, trace.main_cpu_seconds, "")]
    for thread in trace.threads:
        busiest = max(thread.samples, key=lambda seen: seen.own, default=None)
        at = ""
        if busiest is not None and busiest.own:
            at = f", most at {shown_path(trace, busiest.file)}:{busiest.line}"
        name = f'"{thread.name}"'
        kind = f"{thread.count} threads {name}" if thread.count > 1 else f"thread {name}"
        parts.append((kind, thread.cpu_seconds, at))
    known = sum(seconds for _, seconds, _ in parts)
    parts.append(("threads of libraries", whole - known - trace.overhead, ""))
    told = [(name, part, at) for name, part, at in parts if part >= OF_THREADS * whole > 0.0]
    # Where nobody knows what the main thread had, it seems to have had nothing.
    if trace.main_cpu_seconds and any(name != MAIN_THREAD for name, _, _ in told):
        yield "Of the processor's time:"
        for name, part, at in told:
            line = f"{part / whole:4.0%}  {harmless(name)}{harmless(at)}"
            yield _cut(line, "    ", screen, "")
    if trace.idle >= OF_THREADS * trace.seconds:
        yield f"Its event loop had nothing to do for {duration(trace.idle)}, which is left out."


def _processes(report: Report, screen: Screen) -> Iterator[str]:
    """What other processes do, and what of them could not be seen."""
    everything = cpu_seconds_of(report.processes)
    lines = [*_ranks(report)]
    for kind in kinds_of(report.processes):
        if kind.cpu_seconds < OF_THREADS * everything:
            continue
        count = len(kind.processes)
        line = f"{count} × {kind.name}" if count > 1 else kind.name
        line += f": {duration(kind.cpu_seconds)} of CPU"
        if kind.busiest is not None and kind.busiest.own:
            place = shown_path(report.trace, kind.busiest.file)
            line += f", most at {place}:{kind.busiest.line} in {kind.busiest.function}"
        lines.append(line)
    unwatched = unwatched_seconds(report.processes)
    if unwatched >= max(SEEN, OF_THREADS * everything):
        lines.append(f"{duration(unwatched)} of CPU in processes that could not be watched")
    if lines:
        yield "Other processes:"
        yield from (_cut(line, "    ", screen, "") for line in lines)


def _ranks(report: Report) -> Iterator[str]:
    ranks = ranks_of(report.processes)
    for rank in ranks:
        steps = rank.clock.count if rank.clock is not None else 0
        yield (
            f"rank {rank.rank}: {duration(rank.work_seconds)}, {steps:,} steps, computed for "
            f"{duration(rank.main_cpu_seconds)}, waited for {duration(rank.waited)}"
        )
    slowest = max(ranks, key=lambda rank: rank.main_cpu_seconds, default=None)
    if slowest is not None:
        least = min(rank.main_cpu_seconds for rank in ranks)
        if slowest.main_cpu_seconds >= SLOWER * least:
            busiest = max(slowest.samples, key=lambda seen: seen.own - seen.waited, default=None)
            at = ""
            if busiest is not None:
                at = f", most at {shown_path(report.trace, busiest.file)}:{busiest.line}"
            yield f"rank {slowest.rank} is the slowest: the others wait for it{at}"


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
    yield f"Recording took {cost_of(trace)}."
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
