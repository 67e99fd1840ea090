"""Static tools that are asked by one command, and answer with a line for each alarm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from deepperf.bench.assess.alarms import (
    About,
    alarms_in,
    judge_alarms,
    program,
    said_of_each,
    version_of,
)
from deepperf.bench.assess.approach import Approach, Judgement, Raw, Setting, Verdict, imports
from deepperf.bench.problems import Problem


@dataclass(frozen=True, slots=True)
class Linter:
    """A tool: `name` is that of its program and its distribution.

    `options` go between the program and the folders that it is asked about; `about` says of
    which rules of deepperf its codes speak; `packages`, if any, are those it is made for.
    """

    name: str
    title: str
    options: tuple[str, ...]
    about: About = field(default_factory=dict)
    packages: tuple[str, ...] = ()


def approach_of(linter: Linter) -> Approach:
    """Asks for the tool's output, one line for each alarm; judges by the rule of `alarms`.

    Programs that import none of the packages that it is made for are not applicable.
    """

    def ask(problems: Sequence[Problem], _: Setting) -> Iterator[tuple[Problem, Raw]]:
        return said_of_each(problems, [program(linter.name), *linter.options])

    def judge(problem: Problem, raw: Raw) -> Judgement:
        if linter.packages and not imports(problem, *linter.packages):
            wanted = " or ".join(linter.packages)
            return Judgement(Verdict.NOT_APPLICABLE, f"it does not import {wanted}")
        buggy, fixed = alarms_in(raw["buggy"]), alarms_in(raw["fixed"])
        return judge_alarms(problem, buggy, fixed, linter.about)

    return Approach(
        name=linter.name,
        title=linter.title,
        version=lambda: version_of(linter.name),
        obstacle=lambda _: "" if program(linter.name) else f"{linter.name} is not installed",
        ask=ask,
        judge=judge,
    )
