"""A rule for its reader: the page, and what was measured of its pairs."""

from __future__ import annotations

import re

from deepperf.records import Pair
from deepperf.rules.evidence import DISPLAY_NAMES, Evidence, describe, sentence, status
from deepperf.rules.page import MARK, Kind, Page

REFUSAL = "Refused: "
"""How the summary of a page begins that says why an advice is not given."""
_FENCE = re.compile(r"^```python (?P<kind>\w+)(?: path=(?P<path>\S+))?$", re.MULTILINE)
_TITLES = {
    Kind.BAD: "Slow",
    Kind.GOOD: "Better",
    Kind.OK: "Not reported",
    Kind.MISS: "Missed",
    Kind.WORKLOAD: "Measured with",
}


def page_with_evidence(page: Page, evidence: Evidence) -> str:
    """The page's Markdown with a section on its evidence at the end."""
    return f"{page_text(page).rstrip()}\n\n## Evidence\n\n{evidence_text(page, evidence)}\n"


def page_text(page: Page) -> str:
    """The page's Markdown for readers: what each block of code is, stands above it in words."""
    return MARK.sub(r"  # \g<kind>", _FENCE.sub(_titled, page.text))


def _titled(fence: re.Match[str]) -> str:
    place = f" (`{fence['path']}`)" if fence["path"] else ""
    return f"{_TITLES[Kind(fence['kind'])]}{place}:\n\n```python"


def evidence_text(page: Page, evidence: Evidence) -> str:
    """The status, and a line for each measurement and each pair without one, as Markdown."""
    said = sentence(evidence)
    measured = {entry.pair for entry in evidence.measurements}
    reasons = {entry.pair: entry.reason for entry in evidence.unmeasured}
    items = [f"- `{entry.pair}`: {describe(entry)}" for entry in evidence.measurements]
    items += [
        f"- `{pair.id}`: not measured{_because(pair, reasons.get(pair.id, ''))}"
        for pair in page.pairs
        if pair.id not in measured
    ]
    said_of_it = "refused" if page.summary.startswith(REFUSAL) else status(evidence).value
    first = f"Status: {said_of_it}." + (f" In short, {said}." if said else "")
    return "\n".join([first, "", *items]).rstrip()


def _because(pair: Pair, reason: str) -> str:
    if reason:
        return f": {reason}"
    return f" yet ({DISPLAY_NAMES.get(pair.framework, pair.framework)})" if pair.framework else ""
