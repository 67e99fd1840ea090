"""The TensorFlow Profiler: the buggy program's run is recorded, and xprof reads it.

One run is recorded as one step, after another run where the problem allows that. Judged are
the profiler's own words and tables:

1. Where it calls the program highly or moderately input-bound, it names causes in the input
   pipeline (INPUT), and for other problems shows a symptom.
2. Where operations that carry the name of a call in a marked statement take half of all
   operations' time, or where the largest allocation at the peak of a problem about memory
   carries such a name, it names the cause. It never tells a line.
3. Where the problem is about memory and the profile has a peak at all, it shows a symptom;
   also where it says that half of the time or more goes to "All Others", which it explains by
   I/O or Python.
4. Else it is silent, also where its table has no operations, as for many that run eagerly.
   Not applicable: TensorFlow does not run, or nothing was recorded.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

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
from deepperf.bench.collect import MEMORY, plan_of
from deepperf.bench.launch import Start
from deepperf.bench.measure import SideError, run_side
from deepperf.bench.problems import Problem, marked_lines, pair_of
from deepperf.taxonomy.terms import load_codebook

READER = Path(__file__).with_name("read_profile.py")
INPUT = frozenset({"serial-map", "map-before-batch", "missing-prefetch", "read-per-item"})
HALF = 0.5
# The program's own work() is left as it is; this replaces it by a recorded run of it.
RECORDED = """


import tensorflow

_unrecorded_work = work


def work():
{warm_up}    tensorflow.profiler.experimental.start({folder!r})
    try:
        with tensorflow.profiler.experimental.Trace("work", step_num=1, _r=1):
            return _unrecorded_work()
    finally:
        tensorflow.profiler.experimental.stop()
"""


def ask(problems: Sequence[Problem], setting: Setting) -> Iterator[tuple[Problem, Raw]]:
    """The profiler's advice, the operations that took most time, and the peak of memory."""
    for problem in problems:
        if not imports(problem, "tensorflow", "keras") or not problem.measured:
            yield problem, {}
            continue
        with tempfile.TemporaryDirectory(prefix="deepperf-") as folder:
            yield problem, _recorded(problem, folder, setting.start)


def _recorded(problem: Problem, folder: str, start: Start) -> Raw:
    pair = pair_of(problem)
    if "def work" not in pair.workload:
        return {}
    # Memory is what is measured once; the measure itself is not looked at.
    plan = replace(plan_of(pair), quantity=MEMORY, warm_ups=0)
    warm_up = "    _unrecorded_work()\n" if plan_of(pair).warm_ups else ""
    added = RECORDED.format(folder=folder, warm_up=warm_up)
    recorded = replace(pair, workload=pair.workload + added)
    try:
        run_side("bad", recorded, plan, start)
    except SideError as error:
        return {"error": without_folders(str(error))}
    done = subprocess.run(
        [sys.executable, str(READER), folder],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        return {"error": without_folders(f"the profile cannot be read: {' '.join(last)}")}
    raw: Raw = json.loads(done.stdout)
    return raw


def judge(problem: Problem, raw: Raw) -> Judgement:
    """By the rule above."""
    if not raw or "error" in raw:
        return Judgement(Verdict.NOT_APPLICABLE, raw.get("error", "TensorFlow does not run"))
    if not raw["advice"] and not raw["operations"] and not raw["peak"]:
        return Judgement(Verdict.NOT_APPLICABLE, "nothing was recorded")
    names = _names_called(problem)
    symptom = ""
    advice = " ".join(raw["advice"])
    if re.search(r"(HIGHLY|MODERATELY) input-bound", advice):
        if INPUT & frozenset(problem.rules):
            return Judgement(Verdict.CAUSE, "input-bound")
        symptom = "input-bound"
    others = re.search(r"([0-9.]+) ?% of the total step time sampled is spent on 'All O", advice)
    if others and float(others[1]) >= 100 * HALF:
        symptom = symptom or f"{float(others[1]):.0f}% of the time is I/O or Python"
    share = sum(part for kind, name, part in raw["operations"] if names & _words(f"{kind}/{name}"))
    if share >= HALF:
        return Judgement(Verdict.CAUSE, f"operations made there take {share:.0%}")
    if _is_about_memory(problem):
        largest = raw["peak"][:1]
        if largest and names & _words(largest[0][0]):
            return Judgement(Verdict.CAUSE, f"{largest[0][0]} is the largest at the peak")
        if largest:
            symptom = symptom or f"{largest[0][0]} is the largest at the peak"
    return Judgement(Verdict.SYMPTOM if symptom else Verdict.SILENT, symptom)


def _is_about_memory(problem: Problem) -> bool:
    symptoms = load_codebook().symptoms
    return any(symptoms[name].group == "memory" for name in problem.symptoms)


def _names_called(problem: Problem) -> frozenset[str]:
    """The names of what is called on marked lines, as operations are named."""
    found = set()
    for file in problem.buggy:
        lines = {line for _, line in marked_lines([file])}
        for node in ast.walk(ast.parse(file.text)):
            if isinstance(node, ast.Call):
                function = node.func
                name = function.attr if isinstance(function, ast.Attribute) else ""
                name = name or (function.id if isinstance(function, ast.Name) else "")
                if function.end_lineno in lines and len(name) > 2:
                    found.add(_plain(name))
    return frozenset(found)


def _words(name: str) -> frozenset[str]:
    """The parts of an operation's name, without numbers and what kernels add to them."""
    parts = re.split(r"/|::|\[[0-9]*\]", name)
    return frozenset(
        _plain(re.sub(r"^_?(?:Mkl|Native|Fused)*|(?:_[0-9]+|V[0-9]+)$", "", part)) for part in parts
    )


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


approach = Approach(
    name="profiler",
    title="TensorFlow Profiler",
    version=lambda: f"xprof {version_of('xprof')}",
    obstacle=lambda _: "" if version_of("xprof") else "xprof is not installed",
    ask=ask,
    judge=judge,
)
