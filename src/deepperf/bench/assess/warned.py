"""What the frameworks themselves say on standard error while the program runs.

All warnings are switched on. Judged are lines that are warnings and that the repaired
program's run does not have (numbers aside). A warning that PATTERNS knows to be about the
problem's cause names it, and the line too where it tells the marked one; one that PATTERNS
knows to be about cost shows a symptom; others say nothing about the problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from deepperf.bench.assess.alarms import version_of
from deepperf.bench.assess.approach import (
    Approach,
    Judgement,
    Raw,
    Setting,
    Verdict,
    imports,
    without_folders,
)
from deepperf.bench.collect import plan_of
from deepperf.bench.launch import Launch, Outcome, Start
from deepperf.bench.measure import SideError, run_side, usable_cores
from deepperf.bench.problems import Problem, marked_lines, pair_of

LOUD = (("TF_CPP_MIN_LOG_LEVEL", "0"), ("PYTHONWARNINGS", "default"))
MOST_LINES = 40
PATTERNS: tuple[tuple[str, frozenset[str]], ...] = (
    ("retracing", frozenset({"retracing", "compiled-per-call"})),
    ("ran out of data", frozenset({"steps-as-samples"})),
    (r"[Aa]llocation of \d+ exceeds", frozenset()),
    ("out of memory|OOM when allocating", frozenset()),
    ("IndexedSlices .* to a dense Tensor", frozenset()),
    ("[Dd]ataset being cached", frozenset()),
    (r"Method \(on_\w+\) is slow", frozenset()),
    ("pfor|while_loop for converting", frozenset()),
    ("will be slow|is slow|inefficient|performance", frozenset()),
)
_WARNING = re.compile(r"^[WE]\d{4} |\bWARNING\b|\w*Warning: ")
_PLACE = re.compile(r"(?P<path>\w+\.py):(?P<line>[0-9]+)")


def ask(problems: Sequence[Problem], setting: Setting) -> Iterator[tuple[Problem, Raw]]:
    """The lines of standard error that are warnings, of each side."""
    cores: list[int | None] = [*usable_cores()[:2]]
    for problem in problems:
        if not imports(problem, "tensorflow", "keras", "torch", "jax") or not problem.measured:
            yield problem, {}
            continue
        with ThreadPoolExecutor(2 if len(cores) == 2 else 1) as pool:
            buggy = pool.submit(_said, problem, "bad", setting.start, cores[0] if cores else None)
            fixed = pool.submit(_said, problem, "good", setting.start, cores[-1] if cores else None)
            yield problem, {"buggy": buggy.result(), "fixed": fixed.result()}


def _said(problem: Problem, side: str, start: Start, core: int | None) -> list[str]:
    pair = pair_of(problem)
    plan = replace(plan_of(pair), warm_ups=0, threads=1)
    heard: list[str] = []
    try:
        run_side(side, pair, plan, _listening(start, heard), core)
    except SideError as error:
        heard.append(f"Warning: {error}")
    warnings = [without_folders(line.strip())[:400] for line in heard if _WARNING.search(line)]
    return list(dict.fromkeys(warnings))[:MOST_LINES]


def _listening(start: Start, heard: list[str]) -> Start:
    def listen(launch: Launch) -> Outcome:
        outcome = start(replace(launch, variables=LOUD))
        heard.extend(outcome.errors.splitlines())
        return outcome

    return listen


def judge(problem: Problem, raw: Raw) -> Judgement:
    """By the rule above."""
    if not raw:
        return Judgement(Verdict.NOT_APPLICABLE, "no framework runs")
    old = set(map(_without_numbers, raw["fixed"]))
    fresh = [line for line in raw["buggy"] if _without_numbers(line) not in old]
    about = [(line, names) for line in fresh for names in _about(line)]
    naming = [line for line, names in about if names & frozenset(problem.rules)]
    marked = marked_lines(problem.buggy)
    for line in naming:
        places = {(match["path"], int(match["line"])) for match in _PLACE.finditer(line)}
        if places & marked:
            return Judgement(Verdict.LINE, line)
    if naming:
        return Judgement(Verdict.CAUSE, naming[0])
    if about:
        return Judgement(Verdict.SYMPTOM, about[0][0])
    return Judgement(Verdict.SILENT, f"{len(fresh)} warnings about other things" if fresh else "")


def _about(line: str) -> Iterable[frozenset[str]]:
    return [names for pattern, names in PATTERNS if re.search(pattern, line)][:1]


def _without_numbers(line: str) -> str:
    return re.sub(r"0x[0-9a-f]+|\d+", "#", line)


approach = Approach(
    name="warnings",
    title="frameworks' own warnings",
    version=lambda: f"TensorFlow {version_of('tensorflow') or version_of('tensorflow-cpu')}",
    obstacle=lambda _: "",
    ask=ask,
    judge=judge,
)
