"""Scans, differences, samples and precision as text for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from deepperf.outputs.paint import harmless
from deepperf.scan.diff import Difference
from deepperf.scan.judgements import Precision
from deepperf.scan.package import Hit
from deepperf.scan.sample import excerpt
from deepperf.scan.store import asked


def run_tables(store: Path, run: str) -> RenderableType:
    """How the tasks of a run ended and what they took, and its findings by rule."""
    with asked(store) as database:
        parts: list[RenderableType] = []
        for sql in (STATES, RULES):
            found = database.execute(sql, [run])
            names = [column[0] for column in found.description or ()]
            parts += [rows_table(names, found.fetchall(), _grouped), Text("")]
    return Group(*parts)


STATES = """
SELECT t.state, count(*) AS packages, sum(p.lines) AS lines, round(sum(seconds), 1) AS "CPU s",
    round(median(seconds), 1) AS median, round(max(seconds), 1) AS longest,
    round(median(peak) / 1048576) AS "median MiB", round(max(peak) / 1048576) AS "most MiB"
FROM tasks t JOIN packages p USING (run, name, version) WHERE run = ? GROUP BY 1 ORDER BY 2 DESC
"""
RULES = """
SELECT rule, count(*) AS findings, count(*) FILTER (level <> 'note') AS warnings,
    count(DISTINCT package) AS packages
FROM findings WHERE run = ? GROUP BY 1 ORDER BY 3 DESC, 2 DESC, 1
"""


def plain(value: object) -> str:
    """A value as a program can read it."""
    return f"{value:.6g}" if isinstance(value, float) else harmless(str(value))


def rows_table(
    names: Sequence[str],
    rows: Iterable[Sequence[object]],
    cell: Callable[[object], str] = plain,
) -> RenderableType:
    """Rows as the database gives them."""
    table = Table(box=None, header_style="bold")
    for name in names:
        table.add_column(name)
    for row in rows:
        table.add_row(*("" if value is None else cell(value) for value in row))
    return table


def _grouped(value: object) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,}"
    return harmless(str(value))


def difference_text(change: Difference) -> RenderableType:
    """The alarms gained and lost, rule by rule, and how many of each."""
    parts: list[RenderableType] = []
    for sign, style, hits in (("+", "green", change.gained), ("-", "red", change.lost)):
        parts += (
            Text(f"{sign} {hit.rule}  {hit.package}/{hit.path}:{hit.line}  {hit.text}", style=style)
            for hit in hits
        )
    left = sum(map(sum, change.counts.values())) - len(change.gained) - len(change.lost)
    if left:
        parts.append(Text(f"and {left:,} more"))
    parts.extend(
        Text(f"{rule}: {gained:,} gained, {lost:,} lost")
        for rule, (gained, lost) in change.counts.items()
    )
    if not parts:
        parts.append(Text("no alarm gained or lost"))
    parts.append(Text(f"{change.packages:,} packages compared"))
    if change.apart:
        names = ", ".join(change.apart[:20])
        more = f" and {len(change.apart) - 20:,} more" if len(change.apart) > 20 else ""
        parts.append(Text(f"only in one run, not compared: {names}{more}"))
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
