"""Closes a recording: says what the run lost while the program's text is still the one that ran."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deepperf.config.options import Options, WrongUse
from deepperf.dynamic.diagnosis import Choice, Diagnosis, Weight, busiest
from deepperf.dynamic.join import Checked, checked, confirmed, static_findings, weighed
from deepperf.dynamic.processes import diagnose_all, in_order, whole, within_the_whole, worth_a_look
from deepperf.dynamic.program.text import lines_of
from deepperf.dynamic.recorded import Recording, Text, Told
from deepperf.dynamic.recording.trace import Trace, shown_path
from deepperf.dynamic.wishes import Judge, judge_of, options_of
from deepperf.records import Finding, Level

BUSY = 0.1
"""Part of the run without a core from which on times say much of others."""
AROUND = 2
"""Lines kept before and after the one that is meant."""
WIDEST = 1000
"""Characters kept of a line: nobody reads more."""
JUST_SAVED = 1.0
"""Seconds by which a file may seem younger than the run that read it: of its start, only the
second is known."""


def closed(started: Trace, selected: Sequence[str] = (), others: Sequence[Trace] = ()) -> Recording:
    """The recording of a run on this machine that has just ended.

    `started` is the trace of the process that was started, `others` are those that it started in
    turn. `selected` is what the command line selects beside what the settings do. Settings that are
    wrong cost a remark, not what is said of a run that took hours.
    """
    processes = in_order([started, *others])
    trace = whole(processes)
    told = diagnose_all(processes)
    remarks = [*_doubts(trace)]
    level = Level.WARNING
    found: tuple[tuple[str, Finding], ...] = ()
    judges: Mapping[str, Judge] = {}
    try:
        level = options_of(trace.folder).level
        found = tuple(static_findings(trace, lambda given: _all_rules(given, selected)))
        files = {item.file for item in told} | {path for path, _ in found}
        judges = {file: judge_of(file, trace.folder) for file in files}
    except WrongUse as error:
        remarks.append(f"settings were ignored: {error}")
    told = confirmed((_judged(item, judges) for item in told), found)
    of_text = [_judged(item, judges) for item in weighed(worth_a_look(processes), told, found)]
    costly = (item for item in of_text if item.weight is Weight.TIME)
    static = checked((trace, *processes[1:]), (*told, *costly), found)
    told = within_the_whole((*told, *of_text))
    lines = busiest(processes[0])
    places = {(item.file, item.line) for item in told} | {entry[:2] for entry in lines}
    texts = [*_texts(places)]
    remarks += [*_changed(trace, texts)]
    chosen = tuple(_chosen(item, judges) for item in static)
    return Recording(processes, Told(told, lines, chosen, tuple(texts), level, tuple(remarks)))


def _all_rules(options: Options, selected: Sequence[str]) -> Options:
    """What a report selects is only known when it is asked for."""
    return replace(options, select=("all", *options.select, *selected))


def _judged(item: Diagnosis, judges: Mapping[str, Judge]) -> Diagnosis:
    share = min(1.0, max(0.0, item.share))
    judge = judges.get(item.file)
    if judge is None:
        return replace(item, share=share)
    choice = judge.choice(item.names, item.line)
    return replace(item, share=share, role=judge.role, choice=choice)


def _chosen(item: Checked, judges: Mapping[str, Judge]) -> Checked:
    judge = judges.get(item.file)
    choice = Choice.SHOWN if judge is None else judge.choice((item.rule,), item.line)
    return replace(item, choice=choice)


def _doubts(trace: Trace) -> Iterator[str]:
    for problem in trace.problems:
        yield f"incomplete: {problem}"
    if trace.seconds and trace.coreless >= BUSY * trace.seconds:
        part = trace.coreless / trace.seconds
        yield (
            f"others had all cores for {part:.0%} of the run, as on a busy machine, so its times "
            "are unreliable"
        )


def _texts(places: Iterable[tuple[str, int]]) -> Iterator[Text]:
    """The lines around places, and the digests of their files, as far as they can be read."""
    by_file: dict[str, set[int]] = {}
    for file, line in places:
        by_file.setdefault(file, set()).update(range(line - AROUND, line + AROUND + 1))
    for file, numbers in sorted(by_file.items()):
        lines = lines_of(file)
        try:
            data = Path(file).read_bytes() if lines else b""
        except OSError:
            data = b""
        if not data:
            continue
        kept = ((at, lines[at - 1][:WIDEST]) for at in sorted(numbers) if 0 < at <= len(lines))
        yield Text(file, len(data), hashlib.sha256(data).hexdigest(), tuple(kept))


def _changed(trace: Trace, texts: Iterable[Text]) -> Iterator[str]:
    began = datetime.datetime.fromisoformat(trace.began).timestamp()
    for text in texts:
        if os.stat(text.file).st_mtime > began + JUST_SAVED:
            name = shown_path(trace, text.file)
            yield f"during the run, {name} was changed: other lines than those shown may have run"
