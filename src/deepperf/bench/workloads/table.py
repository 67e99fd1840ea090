"""What was measured of workloads and said of them, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepperf.bench.workloads.measured import Measured, Pairs, Sides, peak_ratio, saved
from deepperf.bench.workloads.said import FASTER, Said, at_line, told
from deepperf.bench.workloads.workload import TOOLS, Problem, Workload

LOUD = ("finding", FASTER)
Rows = Sequence[tuple[Workload, Measured]]


def summary(rows: Rows) -> str:
    """A row for each workload: what tuning saves, how many problems were told, and alarms."""
    lines = [
        "| program | after | CPU s written | tuned | saved | memory | problems | "
        "check, at first | check | run, at first | run | prove | tuned: check | tuned: run |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    totals = [0] * 6
    alarms = [0, 0, 0]
    for workload, measured in rows:
        counts = [
            len(workload.problems),
            *(
                len(_hits(workload, sides, tool))
                for tool, sides in (
                    ("check", measured.first),
                    ("check", measured.said),
                    ("run", measured.first),
                    ("run", measured.said),
                    ("prove", measured.said),
                )
            ),
        ]
        totals = [one + other for one, other in zip(totals, counts, strict=True)]
        tuned = measured.said.get("tuned", {})
        loud = [
            sum(one.level == "warning" for one in tuned.get("check", ())),
            sum(one.level != "warning" for one in tuned.get("check", ())),
            sum(one.level == "finding" for one in tuned.get("run", ())),
        ]
        alarms = [one + other for one, other in zip(alarms, loud, strict=True)]
        cells = [f"`{workload.name}`", workload.system, *_costs(measured), *map(str, counts)]
        lines.append(f"| {' | '.join([*cells, *_loud(loud)])} |")
    sums = [f"**{count}**" for count in totals]
    lines.append(f"| **all** | | | | | | {' | '.join([*sums, *_loud(alarms)])} |")
    return "\n".join(lines)


def by_system(rows: Rows) -> str:
    """A row for each system: what its survey calls it, and what of ours named its problems."""
    lines = [
        "| program | after | its categories | named by `check` | named by `run` | proven |",
        "|---|---|---|---|---|---|",
    ]
    for workload, measured in rows:
        named = (
            sorted({hit.name for hit in _hits(workload, measured.said, tool)}) for tool in TOOLS
        )
        cells = [
            f"`{workload.name}`",
            workload.idea,
            ", ".join(workload.categories),
            *(", ".join(f"`{name}`" for name in names) for names in named),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _hits(workload: Workload, sides: Sides, tool: str) -> tuple[Said, ...]:
    hits = (_told(problem, sides, tool) for problem in workload.problems)
    return tuple(hit for hit in hits if hit)


def _loud(counts: Sequence[int]) -> tuple[str, str]:
    warnings, notes, findings = counts
    return f"{warnings} warnings, {notes} notes", f"{findings} findings"


def _costs(measured: Measured) -> tuple[str, ...]:
    pairs = measured.pairs.get("tuned", ())
    if not pairs:
        return ("", "", "", "")
    before = min(one.cpu for one, _ in pairs)
    after = min(other.cpu for _, other in pairs)
    return f"{before:.1f}", f"{after:.1f}", percent(saved(pairs)), f"{peak_ratio(pairs):.2f}x"


def percent(gain: tuple[float, float, float]) -> str:
    """A gain with the least and the greatest of its pairs, if there is more than one."""
    middle, least, most = gain
    if least == most:
        return f"{middle:.0%} (one pair)"
    return f"{middle:.0%} ({least:.0%} to {most:.0%})"


def by_problem(rows: Rows) -> str:
    """A row for each problem: what its patch alone saves, who told it, and what was promised."""
    lines = [
        "| program | problem | line | felt | patch alone saves | check | run | prove | promised |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for workload, measured in rows:
        for problem in workload.problems:
            pairs = measured.pairs.get(problem.name, ())
            cells = [
                f"`{workload.name}`",
                problem.name,
                str(problem.line),
                problem.felt,
                _alone(problem, pairs),
                *(_verdict(problem, measured, tool) for tool in TOOLS),
                "; ".join(_promises(problem, measured.said)),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _alone(problem: Problem, pairs: Pairs) -> str:
    """What mending it alone saves: of the peak of memory where it is felt there."""
    if not pairs:
        return ""
    memory = f"; {1 - 1 / peak_ratio(pairs):.0%} of the memory" if problem.felt == "memory" else ""
    return percent(saved(pairs)) + memory


def _told(problem: Problem, sides: Sides, tool: str) -> Said | None:
    said = sides.get("written", {}).get(tool, ())
    hit = told(problem, said)
    return None if hit and tool == "prove" and hit.level != FASTER else hit


def _verdict(problem: Problem, measured: Measured, tool: str) -> str:
    """What a tool says now, with what it said at first where that is something else."""
    now = _word(problem, measured.said, tool)
    first = _word(problem, measured.first, tool)
    expected = "" if tool in problem.expected or now == "-" else " (not expected)"
    return now + expected if now == first else f"{now}{expected}; at first {first}"


def _word(problem: Problem, sides: Sides, tool: str) -> str:
    said = sides.get("written", {}).get(tool, ())
    if hit := told(problem, said):
        return f"{hit.level}: {hit.name}"
    if tool != "prove" and (near := at_line(problem, said)):
        return f"line only: {near.name}"
    return "-"


def _promises(problem: Problem, sides: Sides) -> Iterator[str]:
    for tool, verb in (("run", "costs"), ("prove", "saves")):
        hit = told(problem, sides.get("written", {}).get(tool, ()))
        if hit and hit.promised is not None and hit.level in LOUD:
            yield f"{tool}: {verb} {hit.promised:.0%}"


def on_tuned(rows: Rows) -> str:
    """What is still said of the tuned programs, a row for each finding."""
    lines = ["| program | tool | level | name | lines | message |", "|---|---|---|---|---|---|"]
    for workload, measured in rows:
        for tool, said in measured.said.get("tuned", {}).items():
            for one in said:
                place = ", ".join(map(str, one.lines[:3]))
                text = one.message.replace("|", "\\|").replace("\n", " ")
                lines.append(
                    f"| `{workload.name}` | {tool} | {one.level} | {one.name} | {place} | {text} |"
                )
    return "\n".join(lines)


def place_of(rows: Rows) -> str:
    """On which machines, when, with which libraries, and what else is to be known."""
    places: dict[str, list[str]] = {}
    for workload, measured in rows:
        versions = ", ".join(f"{name} {version}" for name, version in measured.versions.items())
        machine = measured.machine
        where = f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; {versions}"
        places.setdefault(f"{measured.date}, {where}", []).append(f"`{workload.name}`")
    lines = [f"- {', '.join(names)}: {place}." for place, names in places.items()]
    for workload, measured in rows:
        lines += [f"- `{workload.name}`: {remark}" for remark in measured.remarks]
    return "\n".join(lines)


def markdown(rows: Rows) -> str:
    """All tables, with a heading each."""
    parts = (
        "# Workloads",
        place_of(rows),
        summary(rows),
        "## System by system",
        by_system(rows),
        "## Problem by problem",
        by_problem(rows),
        "## Said of the tuned programs",
        on_tuned(rows),
    )
    return "\n\n".join(parts) + "\n"
