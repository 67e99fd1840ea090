"""Every format tells the worst first: by level, then by what it costs."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.outputs.results_of import FINDING, results

from deepperf.outputs.destinations import FORMATS, rendered
from deepperf.outputs.paint import PLAIN
from deepperf.outputs.results import Results
from deepperf.records import Level, Location


def in_reverse() -> Results:
    """Findings of `c`, `d`, `b` and `a`, which are worse from file to file."""
    kinds = ((Level.NOTE, 0.9), (Level.WARNING, 0.0), (Level.WARNING, 0.4), (Level.ERROR, 0.0))
    return results(
        *(
            replace(
                FINDING,
                level=level,
                estimate=estimate,
                message=f"place {number}",
                location=Location(f"{number}.py", 1, 1, 1, 2),
            )
            for number, (level, estimate) in enumerate(kinds)
        ),
        level=Level.NOTE,
    )


@pytest.mark.parametrize("name", FORMATS)
def test_the_worst_level_comes_first_then_the_costliest(name: str) -> None:
    shown = "\n".join(rendered(name, in_reverse(), PLAIN))

    assert list(dict.fromkeys(re.findall(r"place (\d)", shown))) == ["3", "2", "1", "0"]
