"""Fetches what was measured of the rules that found something."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import deepperf.rules
from deepperf.rules.evidence import Evidence, EvidenceError, read_evidence


def measured(rules: Collection[str]) -> Mapping[str, Evidence]:
    """The evidence of the rules called so; without it, or if it cannot be read, none.

    Looks at the files beside the rules and imports no rule.
    """
    found = {}
    for folder in deepperf.rules.__path__:
        for path in sorted(Path(folder).glob("*/*/evidence.json")):
            name = path.parent.name.replace("_", "-")
            if name in rules:
                try:
                    found[name] = read_evidence(path, name)
                except EvidenceError:
                    continue
    return found
