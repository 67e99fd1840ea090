"""The checkers of the original DeepPerf, from the folder of their scripts (`--original`).

They are asked about copies, since they rewrite what is not Python 3. Checker 1 is about nodes
made again in loops, checker 2 about `map` before `batch`, checker 3 about serial `map`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from deepperf.bench.assess.alarms import About, Alarm, judge_alarms, said_of_each
from deepperf.bench.assess.approach import Approach, Judgement, Raw, Setting, Verdict, imports
from deepperf.bench.problems import Problem

ABOUT: About = {
    "Checker1": frozenset({"graph-growth", "compiled-per-call", "loop-invariant-op"}),
    "Checker2": frozenset({"map-before-batch"}),
    "Checker3": frozenset({"serial-map"}),
}
_NODE = re.compile(r"\[Checker1 Find\] (?P<op>\S+) in (?P<path>\S+?), line (?P<line>[0-9]+)")
_SERIAL = re.compile(r"\((?P<op>\w+)\) in (?P<path>\S+)/(?P<line>[0-9]+) should be called with")
_ORDER = re.compile(r"before \((?P<op>\w+)\) in (?P<path>[^\s']+?\.py)/(?P<line>[0-9]+)")


def ask(problems: Sequence[Problem], setting: Setting) -> Iterator[tuple[Problem, Raw]]:
    """The lines of alarms that its two scripts print."""
    assert setting.original is not None
    outputs: dict[str, list[Raw]] = {problem.id: [] for problem in problems}
    for script in scripts(setting.original):
        # It reads its list of operations from the folder that it runs in.
        command = [sys.executable, str(script)]
        for problem, raw in said_of_each(problems, command, script.parent):
            outputs[problem.id].append(raw)
    for problem in problems:
        raws = outputs[problem.id]
        yield (
            problem,
            {side: [line for raw in raws for line in raw[side]] for side in ("buggy", "fixed")},
        )


def scripts(folder: Path) -> tuple[Path, ...]:
    """The checkers below `folder`."""
    return tuple(sorted(folder.resolve().rglob("*_detect.py")))


def obstacle(setting: Setting) -> str:
    """It is asked only where somebody says where it lies."""
    if setting.original is None:
        return "say with --original where it lies"
    if not scripts(setting.original):
        return f"no *_detect.py lies below {setting.original}"
    return ""


def judge(problem: Problem, raw: Raw) -> Judgement:
    """By the rule of `alarms`, for programs that import TensorFlow."""
    if not imports(problem, "tensorflow"):
        return Judgement(Verdict.NOT_APPLICABLE, "it does not import tensorflow")
    return judge_alarms(problem, _alarms(raw["buggy"]), _alarms(raw["fixed"]), ABOUT)


def _alarms(lines: Iterable[str]) -> Iterator[Alarm]:
    for line in lines:
        for code, pattern in (
            ("Checker1", _NODE),
            ("Checker2", _ORDER),
            ("Checker3", _SERIAL),
        ):
            for match in pattern.finditer(line):
                name = match["path"].rpartition("/")[2]
                yield Alarm(name, int(match["line"]), code, match["op"])


approach = Approach(
    name="original",
    title="original DeepPerf",
    version=lambda: "2.0",
    obstacle=obstacle,
    ask=ask,
    judge=judge,
)
