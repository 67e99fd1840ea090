"""Scans, differences, samples and precision as text for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from deepperf.scan.diff import Difference
from deepperf.scan.judgements import Precision
from deepperf.scan.merge import ScanRun
from deepperf.scan.sample import excerpt
from deepperf.scan.task import Hit


def run_table(run: ScanRun) -> RenderableType:
    """Files, lines, CPU seconds, troubles and findings per rule of each package."""
    rules = sorted({hit.rule for hit in run.hits})
    table = Table(box=None, header_style="bold", show_footer=True)
    table.add_column("package", "together", no_wrap=True)
    numbers: dict[str, Sequence[float]] = {
        "files": [result.files for result in run.results],
        "lines": [result.lines for result in run.results],
        "seconds": [result.seconds for result in run.results],
        "unread": [sum(not t.internal for t in result.troubles) for result in run.results],
        "crashes": [sum(t.internal for t in result.troubles) for result in run.results],
    }
    for rule in rules:
        numbers[rule] = [sum(hit.rule == rule for hit in result.hits) for result in run.results]
    for title, column in numbers.items():
        table.add_column(title, _number(sum(column)), justify="right")
    for position, result in enumerate(run.results):
        cells = [_number(column[position]) for column in numbers.values()]
        table.add_row(f"{result.package} {result.version}", *cells)
    return table


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def difference_text(change: Difference) -> RenderableType:
    """The alarms gained and lost, rule by rule, and how many of each."""
    parts: list[RenderableType] = []
    for sign, style, hits in (("+", "green", change.gained), ("-", "red", change.lost)):
        for hit in sorted(hits, key=lambda hit: (hit.rule, hit)):
            place = f"{hit.package}-{hit.version}/{hit.path}:{hit.line}"
            parts.append(Text(f"{sign} {hit.rule}  {place}  {hit.text}", style=style))
    gained = Counter(hit.rule for hit in change.gained)
    lost = Counter(hit.rule for hit in change.lost)
    parts.extend(
        Text(f"{rule}: {gained[rule]} gained, {lost[rule]} lost") for rule in sorted(gained | lost)
    )
    if not parts:
        parts.append(Text("no alarm gained or lost"))
    if change.apart:
        parts.append(Text(f"only in one run, not compared: {', '.join(change.apart)}"))
    return Group(*parts)


def sample_text(hits: Sequence[Hit], packages: Path) -> RenderableType:
    """Hits with the source around them, enough to be judged."""
    return Group(*(line for hit in hits for line in _shown(hit, packages)))


def _shown(hit: Hit, packages: Path) -> Iterator[Text]:
    folder = f"{hit.package}-{hit.version}"
    yield Text(f"{folder}/{hit.path}:{hit.line}:{hit.column}  {hit.rule}", style="bold")
    yield Text(f"  {hit.message} ({hit.role})")
    for step in hit.steps:
        yield Text(f"    {step}", style="dim")
    for number, line in excerpt(hit, packages / folder):
        mark = ">" if number == hit.line else " "
        yield Text(f"{mark}{number:6} | {line}", style="yellow" if mark == ">" else "")
    yield Text("")


def precision_table(rows: Iterable[Precision]) -> RenderableType:
    """Per rule, how many hits were judged true, arguable and false."""
    table = Table(box=None, header_style="bold")
    table.add_column("rule", no_wrap=True)
    for title in ("hits", "judged", "true", "arguable", "false", "true of judged"):
        table.add_column(title, justify="right")
    table.add_column("false no more reported", justify="right")
    table.add_column("true no more reported", justify="right")
    for row in rows:
        share = "" if row.share_true is None else f"{row.share_true:.0%}"
        numbers = (row.hits, row.judged, row.true, row.arguable, row.false)
        table.add_row(row.rule, *map(str, numbers), share, str(row.mended), str(row.missed))
    return table
