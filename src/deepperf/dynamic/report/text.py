"""The report for a terminal: one screen, the most costly first, with bars."""

from __future__ import annotations

import os
from collections.abc import Iterator

from deepperf.dynamic.diagnosis import Diagnosis, Standing, Verdict, Weight
from deepperf.dynamic.trace import Trace
from deepperf.outputs.paint import harmless

BAR = 20
MOST_FINDINGS = 12
MOST_NOTES = 8


def show(trace: Trace, verdict: Verdict) -> str:
    """The whole report as text, without colours."""
    lines = [_headline(trace), ""]
    for item in verdict.findings[:MOST_FINDINGS]:
        lines += [*_finding(trace, item), ""]
    if len(verdict.findings) > MOST_FINDINGS:
        lines += [f"{len(verdict.findings) - MOST_FINDINGS} more findings: --format json", ""]
    if not verdict.findings:
        busiest = list(_busiest(trace, verdict))
        lines += (
            ["Nothing wrong found. The time goes to:", *busiest]
            if busiest
            else ["Nothing was seen: the program was over before it could be looked at."]
        )
        lines.append("")
    if verdict.notes:
        lines.append("Notes, which cost little or what is not known:")
        for item in verdict.notes[:MOST_NOTES]:
            lines.append(f"  {_place(trace, item)}: {item.message} ({item.evidence})")
        if len(verdict.notes) > MOST_NOTES:
            lines.append(f"  and {len(verdict.notes) - MOST_NOTES} more")
        lines.append("")
    lines += _footer(trace)
    return "\n".join(harmless(line) for line in lines) + "\n"


def _headline(trace: Trace) -> str:
    steps = ", ".join(f"{count:,} {name}" for name, count in sorted(trace.steps.items()))
    peak = max((held for _, held in trace.memory), default=0)
    parts = [f"{trace.seconds:.1f} s", f"{trace.cpu_seconds:.1f} s of CPU"]
    if peak:
        parts.append(f"at most {peak / 1e6:,.0f} MB held")
    if steps:
        parts.append(steps)
    killed = "" if trace.ended == "exit" else "; the program did not come to its end"
    return f"deepperf: {'; '.join(parts)}{killed}"


def _finding(trace: Trace, item: Diagnosis) -> Iterator[str]:
    of = "of the time" if item.weight is Weight.TIME else "of the memory"
    filled = round(item.share * BAR)
    bar = "█" * filled + "·" * (BAR - filled)
    standing = " (static analysis says so, too)" if item.standing is Standing.CONFIRMED else ""
    name = item.rule or item.signal
    yield f"{bar} {item.share:4.0%} {of}  {_place(trace, item)}  {name}{standing}"
    yield f"    {item.message}"
    yield f"    seen: {item.evidence}"
    yield f"    instead: {item.remedy}"


def _busiest(trace: Trace, verdict: Verdict) -> Iterator[str]:
    for file, line, function, share in verdict.lines:
        yield f"  {share:4.0%}  {shown(trace, file)}:{line} in {function}"


def _place(trace: Trace, item: Diagnosis) -> str:
    return f"{shown(trace, item.file)}:{item.line}" if item.file else "the whole run"


def shown(trace: Trace, file: str) -> str:
    """A file's path as somebody sees it who stands in the folder of the run."""
    relative = os.path.relpath(file, trace.folder)
    return file if relative.startswith("..") else relative


def _footer(trace: Trace) -> Iterator[str]:
    share = trace.overhead / trace.seconds if trace.seconds else 0.0
    yield f"Recording took {trace.overhead:.2f} s ({share:.1%} of the run)."
    for problem in trace.problems:
        yield f"Not all could be seen: {problem}"
