"""A rule for its reader: the page, and what was measured of its pairs."""

from __future__ import annotations

from deepperf.records import Pair
from deepperf.rules.evidence import DISPLAY_NAMES, Evidence, describe, sentence, status
from deepperf.rules.page import Page


def page_with_evidence(page: Page, evidence: Evidence) -> str:
    """The page's Markdown with a section on its evidence at the end."""
    return f"{page.text.rstrip()}\n\n## Evidence\n\n{evidence_text(page, evidence)}\n"


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
    first = f"Status: {status(evidence).value}." + (f" In short, {said}." if said else "")
    return "\n".join([first, "", *items]).rstrip()


def _because(pair: Pair, reason: str) -> str:
    if reason:
        return f": {reason}"
    return f" yet ({DISPLAY_NAMES.get(pair.framework, pair.framework)})" if pair.framework else ""
