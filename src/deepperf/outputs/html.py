"""One page for a browser, which needs no network: findings to filter and sort, with sources."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepperf.outputs.page import page_environment
from deepperf.outputs.paint import Paint
from deepperf.outputs.results import Results, failed, failures, shown, summary
from deepperf.outputs.rule_help import rule_help
from deepperf.records import Finding, Level, Location, Step
from deepperf.rules.evidence import Measurement, clearest_gain, describe, figure

TEMPLATE = Path(__file__).with_name("page.html.jinja")
SCRIPT = Path(__file__).with_name("page.js")
LINE_END = re.compile(r"\r\n|\r|\n")
AROUND = 3
"""Lines shown before and after a place."""
AT_STEPS = 1

Rows = Callable[[str, int], Sequence[str]]
"""Tells the lines of a file, or of a cell of a notebook."""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    is_meant: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """A place with the lines around it, and what is said of it."""

    location: Location
    said: str
    lines: tuple[_Line, ...]


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a measured pair: its amount in words, and as a share of the larger one."""

    name: str
    amount: str
    share: float


@dataclass(frozen=True, slots=True)
class _Item:
    """A finding as the page shows it."""

    finding: Finding
    here: _Place
    chain: tuple[_Place, ...]
    related: tuple[_Place, ...]
    measured: str
    sides: tuple[_Side, ...]


def lines(results: Results, paint: Paint) -> Iterator[str]:  # noqa: ARG001 - one signature
    """The page. Raises `WrongUse` where what makes it is not installed."""
    pages = page_environment()
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    found = shown(results)
    # Each text is cut into lines once.
    rows = functools.cache(lambda path, cell: LINE_END.split(results.text(path, cell)))
    script = SCRIPT.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    markdown = MarkdownIt("commonmark", {"html": False})
    names = sorted({finding.rule for finding in found})
    page = pages.from_string(TEMPLATE.read_text(encoding="utf-8"))
    text = page.render(
        title=summary(results),
        items=[_item(results, finding, rows) for finding in found],
        rules=[(about, Markup(markdown.render(about.markdown))) for about in map(rule_help, names)],
        paths=sorted({finding.location.path for finding in found}),
        levels=[level for level in reversed(Level) if any(f.level is level for f in found)],
        failures=[(failure, failed(failure)) for failure in failures(results)],
        files=sum(not report.left_out for report in results.reports),
        hidden=sum(len(report.hidden) for report in results.reports),
        silenced=sum(len(report.suppressed) for report in results.reports),
        known=sum(len(report.known) for report in results.reports),
        script=Markup(script),
        digest=digest,
    )
    yield from text.split("\n")


def _item(results: Results, finding: Finding, rows: Rows) -> _Item:
    evidence = results.evidence.get(finding.rule)
    gain = clearest_gain(evidence, finding.framework) if evidence else None
    return _Item(
        finding,
        _place(rows, Step(finding.location, finding.message), AROUND),
        tuple(_place(rows, step, AT_STEPS) for step in finding.path),
        tuple(_place(rows, step, AT_STEPS) for step in finding.related),
        describe(gain) if gain else "",
        _sides(gain) if gain else (),
    )


def _place(rows: Rows, step: Step, around: int) -> _Place:
    at = step.location
    text = rows(at.path, at.cell)
    near = range(max(at.line - around, 1), min(at.end_line + around, at.line + 12, len(text)) + 1)
    excerpt = (_Line(line, text[line - 1], at.line <= line <= at.end_line) for line in near)
    return _Place(at, step.text, tuple(excerpt))


def _sides(gain: Measurement) -> tuple[_Side, ...]:
    amounts = [sorted(values)[len(values) // 2] for values in (gain.bad, gain.good)]
    most = max(amounts) or 1
    return tuple(
        _Side(name, f"{figure(amount)} {gain.unit or gain.quantity}", amount / most)
        for name, amount in zip(("as it is", "instead"), amounts, strict=True)
    )
