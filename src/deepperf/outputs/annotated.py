"""What every format for programs says of a finding in words."""

from __future__ import annotations

from deepperf.outputs.paint import harmless
from deepperf.outputs.results import Results
from deepperf.records import Finding, Location


def said(finding: Finding) -> str:
    """The message in one line; of a notebook with the cell, which its lines count in."""
    return harmless(f"{in_cell(finding.location)}{finding.message}")


def in_cell(location: Location) -> str:
    """Which cell and line, for what knows files and lines only; "" outside of notebooks."""
    return f"cell {location.cell}, line {location.line}: " if location.cell else ""


def line_in_file(location: Location) -> int:
    """The line to point at: the first of a notebook, whose cells have no lines in the file."""
    return 1 if location.cell else location.line


def advice(results: Results, finding: Finding) -> tuple[str, ...]:
    """What to do instead and what was measured, a line each."""
    from deepperf.rules.evidence import sentence

    evidence = results.evidence.get(finding.rule)
    measured = sentence(evidence, finding.framework) if evidence else ""
    rows = (("Instead", finding.remedy), ("Measured", measured))
    return tuple(f"{name}: {harmless(row)}" for name, row in rows if row)


def sketched(finding: Finding) -> tuple[str, ...]:
    """The sketch of a change under a line that says what it is; nothing where there is none."""
    rows = finding.sketch.splitlines()
    return ("Sketch, to be adapted:", *(f"    {harmless(row)}" for row in rows)) if rows else ()
