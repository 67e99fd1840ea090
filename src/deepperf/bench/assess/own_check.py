"""`deepperf check --level note`, else with its default settings, on the problem's folder.

The framework version is what the folder's own `requirements.txt` says. Judged as all static
tools are: a rule is about itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepperf import __version__
from deepperf.bench.assess.alarms import Alarm, judge_alarms
from deepperf.bench.assess.approach import Approach, Judgement, Raw, Setting
from deepperf.bench.problems import Problem
from deepperf.bench.recall import findings_in


def ask(problems: Sequence[Problem], _: Setting) -> Iterator[tuple[Problem, Raw]]:
    """Every finding in each of the problem's files, the sibling's too."""
    for problem in problems:
        findings = findings_in(problem)
        yield problem, {path: [list(one) for one in findings[path]] for path in sorted(findings)}


def judge(problem: Problem, raw: Raw) -> Judgement:
    """By the rule of `alarms`."""
    buggy = list(_alarms(raw, [file.path for file in problem.buggy]))
    fixed = _alarms(raw, [file.path for file in problem.fixed])
    about = {one.code: frozenset({one.code}) for one in buggy}
    return judge_alarms(problem, buggy, fixed, about)


def _alarms(raw: Raw, paths: Sequence[str]) -> Iterator[Alarm]:
    for path in paths:
        for line, rule, message, *_ in raw.get(path, ()):
            yield Alarm(path, line, rule, message)


approach = Approach(
    name="deepperf",
    title="deepperf check",
    version=lambda: __version__,
    obstacle=lambda _: "",
    ask=ask,
    judge=judge,
)
