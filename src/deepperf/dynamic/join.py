"""What the static rules say of the files that ran, held against the run: confirmed, refuted, …"""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from deepperf.check.select import UNUSED_SUPPRESSION
from deepperf.config.options import Options
from deepperf.dynamic.diagnosis import (
    FLOOR,
    Choice,
    Diagnosis,
    Standing,
    Weight,
    own_share_within,
    share_anywhere,
)
from deepperf.dynamic.processes import cpu_seconds_of
from deepperf.dynamic.program.earlier import has_run
from deepperf.dynamic.program.loops import loops_at
from deepperf.dynamic.program.text import are_two_statements
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.uncharged import unsaid_of
from deepperf.records import Finding, Level, Location
from deepperf.rules.registry import load_rules

NEAR = 3
"""Lines between a static finding and an observation that may speak of the same thing, where one of
them is the head of a loop, a branch or a function."""
UNSEEN_AT_MOST = 3
"""Samples that a line may have missed by chance: of a line that is never seen among n samples,
the share is below 3/n in 19 of 20 runs."""
LOOKS_ASIDE = 0.1
"""Seconds between two looks at other threads."""
OFTEN = 16
"""Operations of a line in a step from which on they are worth a note."""
COSTS_WHERE_IT_STANDS = frozenset(
    {
        "loop-invariant-op",
        "looped-branch",
        "looped-draw",
        "looped-lookup",
        "looped-update",
        "per-slice-op",
        "predict-per-item",
        "read-per-item",
        "record-count",
    }
)
"""Rules whose whole cost arises in the line that they name, so that its share bounds the gain.
A pipeline, say, is slow where it is read, not where it is put together."""
NEVER_IN_A_GRAPH = frozenset({"predict-per-item", "read-per-item", "record-count"})
RUNS_LINE_BY_LINE = frozenset({"numpy", "torch"})
"""Frameworks whose operations run when Python passes their line; the others may only be traced
there, and run later."""


class Outcome(enum.Enum):
    """What a run says of a static finding."""

    CONFIRMED = "confirmed"  # a signal saw the same smell there
    REFUTED = "refuted"  # its line ran, and its whole share of the time is below the floor
    OPEN = "open"  # its line ran, and what the smell costs is not known
    NOT_SEEN = "not seen"  # nothing shows that its line ran


@dataclass(frozen=True, slots=True)
class Checked:
    """A static finding and what became of it; `share` is that of the diagnosis, or its line's."""

    outcome: Outcome
    rule: str
    file: str
    line: int
    message: str
    said: str
    share: float = 0.0
    choice: Choice = Choice.SHOWN


def confirmed(
    told: Iterable[Diagnosis], found: Sequence[tuple[str, Finding]]
) -> tuple[Diagnosis, ...]:
    """The diagnoses, each marked that a static finding says, too."""
    return tuple(
        replace(item, standing=Standing.CONFIRMED) if _means(item, found) else item for item in told
    )


def checked(
    processes: Sequence[Trace],
    told: Sequence[Diagnosis],
    found: Sequence[tuple[str, Finding]],
) -> tuple[Checked, ...]:
    """What became of static findings, given with the absolute paths of their files, in any of the
    processes of a run; the first one knows the lines that all have reached."""
    return tuple(sorted(_all_checked(processes, told, found), key=_rank))


def weighed(
    processes: Sequence[Trace], told: Sequence[Diagnosis], found: Sequence[tuple[str, Finding]]
) -> Iterable[Diagnosis]:
    """Static findings of which no signal speaks, at lines that take a part of the time: where that
    is not what they cost, nobody knows how much of it is theirs, and they are notes."""
    causes = {loaded.rule.name: loaded.rule.cause for loaded in load_rules()}
    meant = {one for item in told for one in _means(item, found)}
    for path, finding in found:
        if (path, finding) in meant or finding.rule not in causes:
            continue
        further = (step.location for step in finding.related if _is_at(path, step.location))
        places = [finding.location, *further]
        lines = {line for at in places for line in range(at.line, at.end_line + 1)}
        share = max(share_anywhere(trace, path, line) for trace in processes for line in lines)
        own = range(finding.location.line, finding.location.end_line + 1)
        cost = own_share_within(processes[0], path, own) if _is_sure(finding) else 0.0
        heard = _heard(processes, path, finding)
        if share >= FLOOR or heard:
            evidence = f"its line takes {cost if cost >= FLOOR else share:.0%} of the time"
            yield Diagnosis(
                signal=finding.rule,
                cause=causes[finding.rule],
                file=path,
                line=finding.location.line,
                function="",
                message=finding.message,
                evidence=evidence if share >= FLOOR else heard,
                remedy=finding.remedy,
                weight=Weight.TIME if cost >= FLOOR else Weight.HINT,
                share=cost if cost >= FLOOR else share,
                rule=finding.rule,
                standing=Standing.CONFIRMED,
                role=finding.role,
            )


def _heard(processes: Sequence[Trace], path: str, finding: Finding) -> str:
    """What was counted at the lines of a finding, and of the loop that begins there, where that is
    much for a step; "" otherwise."""
    here = finding.location
    lines = {*range(here.line, here.end_line + 1)}
    for first, last in loops_at(path, here.line):
        if first == here.line:
            lines |= {*range(first, last + 1)}
    found = [
        seen.detail
        for trace in processes
        for seen in trace.observations
        if seen.file == path and seen.line in lines and seen.detail.get("steps")
    ]
    each = max((one.get("heard", 0) / one["steps"] for one in found), default=0.0)
    steps = max((one["steps"] for one in found), default=0)
    often = f"{each:,.0f} small operations were heard there in each of {steps:,} steps"
    return often if each >= OFTEN else ""


def static_findings(
    trace: Trace, override: Callable[[Options], Options]
) -> Iterator[tuple[str, Finding]]:
    """What `check` says, on any level, of the files that ran, with their absolute paths.

    `override` has the last word on the settings of their projects. Raises `WrongUse`.
    """
    from deepperf.check.paths import check_tree, starts

    files = sorted(path for path in _files(trace) if os.path.isfile(path))
    for start in starts(files, override):
        for report in check_tree(start).reports:
            path = os.path.join(start.root, *report.path.split("/"))
            yield from ((path, finding) for finding in report.findings)


def _files(trace: Trace) -> frozenset[str]:
    observed = {entry.file for entry in trace.observations}
    sampled = {entry.file for entry in trace.samples}
    aside = {entry.file for thread in trace.threads for entry in thread.samples}
    return frozenset(sampled | aside | observed | set(trace.reached)) - {""}


def _all_checked(
    processes: Sequence[Trace],
    told: Sequence[Diagnosis],
    found: Sequence[tuple[str, Finding]],
) -> Iterator[Checked]:
    meant = [(item, _means(item, found)) for item in told]
    for path, finding in found:
        if finding.rule == UNUSED_SUPPRESSION:
            continue
        same = [item for item, findings in meant if (path, finding) in findings]
        if same:
            yield _confirmed(path, finding, max(same, key=lambda item: item.share))
        else:
            yield _unspoken_of(processes, path, finding)


def _means(
    item: Diagnosis, found: Sequence[tuple[str, Finding]]
) -> tuple[tuple[str, Finding], ...]:
    """The static findings that speak of what a diagnosis speaks of: the nearest ones."""
    apart = {
        (path, finding): lines_apart(item, path, finding)
        for path, finding in found
        if item.rule and item.rule == finding.rule and path in _files_of(item)
    }
    nearest = min(apart.values(), default=NEAR + 1)
    return tuple(one for one, lines in apart.items() if lines == nearest <= NEAR)


def _files_of(item: Diagnosis) -> tuple[str, ...]:
    return (item.file, item.asked_at[0]) if item.asked_at is not None else (item.file,)


def lines_apart(item: Diagnosis, path: str, finding: Finding) -> int:
    """Lines between a diagnosis and a finding, or a step of the way to it in the same file; none
    where the diagnosis is of a loop around the finding, or says that it is asked for there. Two
    statements side by side are as far apart as can be: each may be about something of its own."""
    here = finding.location
    asking, line = item.asked_at or ("", 0)
    if asking == path and here.line <= line <= here.end_line:
        return 0
    if item.file != path:
        return sys.maxsize
    steps = [step.location.line for step in finding.path if _is_at(path, step.location)]
    loops = [first for first, _ in loops_at(path, here.line)]
    apart = max(here.line - item.line, item.line - here.end_line, 0)
    if not apart or item.line in (*steps, *loops):
        return 0
    return sys.maxsize if are_two_statements(path, item.line, here.line) else apart


def _is_at(path: str, place: Location) -> bool:
    """Whether a place, known by its path within a project, is in the file of an absolute path."""
    return f"/{path.replace(os.sep, '/')}".endswith(f"/{place.path}")


def _checked(path: str, finding: Finding, outcome: Outcome, said: str, share: float) -> Checked:
    location = finding.location
    return Checked(outcome, finding.rule, path, location.line, finding.message, said, share)


def _confirmed(path: str, finding: Finding, item: Diagnosis) -> Checked:
    if item.weight is Weight.HINT:
        return _checked(path, finding, Outcome.CONFIRMED, item.evidence, 0.0)
    of = "run" if item.weight is Weight.TIME else "memory"
    return _checked(
        path, finding, Outcome.CONFIRMED, f"costs {item.share:.0%} of the {of}", item.share
    )


def _unspoken_of(processes: Sequence[Trace], path: str, finding: Finding) -> Checked:
    """What the run says of a finding that no signal speaks of."""
    trace = processes[0]
    lines = range(finding.location.line, finding.location.end_line + 1)
    ran = [one for one in processes if _ran(one, path, lines)]
    share = max((share_anywhere(one, path, at) for one in ran for at in lines), default=0.0)
    is_passed = finding.location.column == 1 and path in trace.reached and trace.ended == "exit"
    if not is_passed and not ran:
        return _checked(path, finding, Outcome.NOT_SEEN, "nothing shows that it ran", 0.0)
    if not _costs_at_its_line(finding):
        said = f"its line takes {share:.0%} of the time" if share >= FLOOR else "runs"
        return _checked(
            path, finding, Outcome.OPEN, f"{said}; the cost of the problem is not known", share
        )
    most = max(_most(trace, path, lines), _most_of_others(processes, ran, path, lines))
    if most >= FLOOR:
        said = f"its line takes about {share:.0%} of the time"
        return _checked(path, finding, Outcome.OPEN, said, share)
    said = f"takes less than {max(most, 0.001):.1%} of the time"
    unsaid = unsaid_of(processes, finding)
    if unsaid:
        return _checked(path, finding, Outcome.OPEN, f"its line {said}; {unsaid}", share)
    return _checked(path, finding, Outcome.REFUTED, said, share)


def _most(trace: Trace, path: str, lines: range) -> float:
    """The largest share that one of some lines may have had in a process, by chance unseen."""
    if not trace.sampled or not trace.cpu_seconds or not trace.work_seconds:
        return 1.0
    share = max(share_anywhere(trace, path, line) for line in lines)
    aside = sum(thread.cpu_seconds for thread in trace.threads) / trace.cpu_seconds
    unseen = UNSEEN_AT_MOST * aside * LOOKS_ASIDE / trace.work_seconds
    return share + UNSEEN_AT_MOST / trace.sampled + unseen


def _most_of_others(
    processes: Sequence[Trace], ran: Sequence[Trace], path: str, lines: range
) -> float:
    """The same of the processor's time of all, for those beside the first that ran them."""
    whole = cpu_seconds_of(processes)
    seconds = sum(one.cpu_seconds * _most(one, path, lines) for one in ran if one != processes[0])
    return seconds / whole if whole else 0.0


def _ran(trace: Trace, path: str, lines: range) -> bool:
    seen = (*trace.samples, *(one for thread in trace.threads for one in thread.samples))
    known = {entry.line for entry in trace.observations if entry.file == path}
    known.update(entry.line for entry in seen if entry.file == path)
    known.update(trace.reached.get(path, ()))
    return not known.isdisjoint(lines) or has_run(path, min(lines), known)


def _is_sure(finding: Finding) -> bool:
    return _costs_at_its_line(finding) and finding.level >= Level.WARNING


def _costs_at_its_line(finding: Finding) -> bool:
    is_passed = finding.framework in RUNS_LINE_BY_LINE or finding.rule in NEVER_IN_A_GRAPH
    return is_passed and finding.rule in COSTS_WHERE_IT_STANDS


def _rank(checked: Checked) -> tuple[int, float, str, int]:
    return (list(Outcome).index(checked.outcome), -checked.share, checked.file, checked.line)
