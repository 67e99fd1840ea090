"""TorchFix with all its rules. It is made for PyTorch: other programs are not applicable."""

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
from deepperf.bench.assess.approach import Approach, Judgement, Raw, Setting, Verdict, imports
from deepperf.bench.problems import Problem

ABOUT: About = {"TOR401": frozenset({"serial-loader", "missing-workers"})}


def ask(problems: Sequence[Problem], _: Setting) -> Iterator[tuple[Problem, Raw]]:
    """Its output, one line for each alarm."""
    return said_of_each(problems, [program("torchfix"), "--select=ALL", "-j", "1"])


def judge(problem: Problem, raw: Raw) -> Judgement:
    """By the rule of `alarms`, for programs that import PyTorch."""
    if not imports(problem, "torch"):
        return Judgement(Verdict.NOT_APPLICABLE, "it does not import torch")
    return judge_alarms(problem, alarms_in(raw["buggy"]), alarms_in(raw["fixed"]), ABOUT)


approach = Approach(
    name="torchfix",
    title="TorchFix",
    version=lambda: version_of("torchfix"),
    obstacle=lambda _: "" if program("torchfix") else "TorchFix is not installed",
    ask=ask,
    judge=judge,
)
