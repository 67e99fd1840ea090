"""A rule's evidence as a figure for the site: a bar for each side, a mark for each raw value."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from html import escape

from deepperf.dynamic.report import duration
from deepperf.rules.evidence import Evidence, Measurement, current, describe, figure

CSS = """\
.evidence { margin: 1rem 0; }
.evidence figcaption { font-size: .875rem; margin: .75rem 0 .25rem; }
.evidence div { align-items: center; display: flex; font-size: .8125rem; gap: .5rem; }
.evidence b { flex: 0 0 3.5rem; font-weight: normal; }
.evidence i { background: var(--color-background-secondary); flex: 1; height: 1.1rem;
  position: relative; }
.evidence s { bottom: 0; left: 0; min-width: 2px; position: absolute; top: 0; }
.evidence .bad s { background: #c2410c; }
.evidence .good s { background: #15803d; }
.evidence u { background: var(--color-foreground-primary); bottom: 15%; position: absolute;
  top: 15%; width: 1px; }
.evidence span { flex: 0 0 6.5rem; text-align: right; }
"""
UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def evidence_figure(evidence: Evidence) -> str:
    """The measurements on the newest versions, "" where there are none."""
    parts = [part for one in current(evidence) for part in _drawn(one)]
    return f'<figure class="evidence">{"".join(parts)}</figure>' if parts else ""


def _drawn(one: Measurement) -> Iterator[str]:
    longest = max(*one.bad, *one.good)
    if longest <= 0:
        return
    yield f"<figcaption>{escape(describe(one))}</figcaption>"
    for side, word, values in (("bad", "slow", one.bad), ("good", "better", one.good)):
        middle = statistics.median(values)
        # A value that is always the same needs no marks.
        marks = values if len(set(values)) > 1 else ()
        yield (
            f'<div class="{side}"><b>{word}</b><i><s style="width:{middle / longest:.1%}"></s>'
            f"{''.join(_marks(marks, longest))}</i><span>{escape(_amount(middle, one.unit))}</span>"
            "</div>"
        )


def _marks(values: Sequence[float], longest: float) -> Iterator[str]:
    for value in values:
        yield f'<u style="left:min({value / longest:.1%},100% - 1px)"></u>'


def _amount(value: float, unit: str) -> str:
    """A value as people say it; what is counted, the caption tells."""
    if unit == "s":
        return duration(value)
    for size, name in UNITS if unit.startswith("bytes") else ():
        if value >= size:
            return f"{figure(value / size)} {name}"
    return figure(value)
