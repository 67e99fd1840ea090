"""pylint's warnings and proposals (W and R), which know some of Python's slow ways.

None of its codes is about a cause here: at most they point at the place.
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
OPTIONS = (
    "--rcfile=",
    "--persistent=n",
    "--score=n",
    "--disable=all",
    "--enable=W,R",
    # Proposals that compare files, of which the two sides are copies of each other.
    "--disable=duplicate-code",
    "--msg-template={path}:{line}:{column}: {symbol} {msg}",
)


def ask(problems: Sequence[Problem], _: Setting) -> Iterator[tuple[Problem, Raw]]:
    """Its output, one line for each alarm."""
    return said_of_each(problems, [program("pylint"), *OPTIONS, "--recursive=y"])


def judge(problem: Problem, raw: Raw) -> Judgement:
    """By the rule of `alarms`."""
    return judge_alarms(problem, alarms_in(raw["buggy"]), alarms_in(raw["fixed"]), ABOUT)


approach = Approach(
    name="pylint",
    title="pylint (W, R)",
    version=lambda: version_of("pylint"),
    obstacle=lambda _: "" if program("pylint") else "pylint is not installed",
    ask=ask,
    judge=judge,
)
