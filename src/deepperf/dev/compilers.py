"""What of deep-learning compilers' optimizations a rule, a signal or `prove` touches."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KINDS = {"rules": "`check`", "signals": "`run`", "prove": "`prove`"}


def read_survey(path: Path) -> dict[str, Any]:
    """The survey, and each optimization with what touches it."""
    return dict(tomllib.loads(path.read_text(encoding="utf-8")))


def compilers_table(path: Path) -> str:
    """A row for each optimization that the survey lists."""
    survey = read_survey(path)
    rows = [
        f"| optimization | where | {' | '.join(KINDS.values())} |",
        "|---|---|---|---|---|",
    ]
    for entry in survey["optimizations"]:
        cells = [", ".join(f"`{name}`" for name in entry[kind]) for kind in KINDS]
        rows.append(f"| {' | '.join([entry['name'], entry['part'], *cells])} |")
    return "\n".join([f"Optimizations by {survey['survey']}.", "", *rows])
