"""ruff's rules about performance (PERF).

They are about Python's own lists and loops, so none of their codes is about a cause here: at
most they point at the place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepperf.bench.assess.alarms import (
    About,
    alarms_in,
    judge_alarms,
    program,
    said_of_each,
    version_of,
)
from deepperf.bench.assess.approach import Approach, Judgement, Raw, Setting
from deepperf.bench.problems import Problem

ABOUT: About = {}
OPTIONS = ("check", "--isolated", "--no-cache", "--select", "PERF", "--output-format", "concise")


def ask(problems: Sequence[Problem], _: Setting) -> Iterator[tuple[Problem, Raw]]:
    """Its output, one line for each alarm."""
    return said_of_each(problems, [program("ruff"), *OPTIONS])


def judge(problem: Problem, raw: Raw) -> Judgement:
    """By the rule of `alarms`."""
    return judge_alarms(problem, alarms_in(raw["buggy"]), alarms_in(raw["fixed"]), ABOUT)


approach = Approach(
    name="ruff",
    title="ruff (PERF)",
    version=lambda: version_of("ruff"),
    obstacle=lambda _: "" if program("ruff") else "ruff is not installed",
    ask=ask,
    judge=judge,
)
