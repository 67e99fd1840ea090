"""`deepperf run` on both programs, at the size at which the problem is measured.

Each side runs once as its workload says, without warm-ups, or as a script where nothing can be
measured here; what is stored is the report's own words. Judged by the rule of `alarms`, and more
strictly in two ways:

1. Only findings of the run itself count. A note about the cause at a marked line is a symptom,
   and what the report joins from static analysis says nothing.
2. Where the repaired program's run has a finding about the same cause, the buggy program's is
   no help: nobody could tell one from the other.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepperf import __version__
from deepperf.bench.assess.alarms import Alarm, judge_alarms, version_of
from deepperf.bench.assess.approach import (
    Approach,
    Judgement,
    Raw,
    Setting,
    Verdict,
    without_folders,
)
from deepperf.bench.collect import MEMORY, obstacle, plan_of
from deepperf.bench.launch import LONGEST_SECONDS, Launch, Outcome, TookTooLong
from deepperf.bench.machine import environment
from deepperf.bench.measure import SideError, run_side
from deepperf.bench.problems import Problem, pair_of
from deepperf.records import Pair

REPORT = "report.json"
STATIC = "check"
KEPT = ("signal", "rule", "cause", "line", "share", "weight", "message", "evidence")


def ask(problems: Sequence[Problem], _: Setting) -> Iterator[tuple[Problem, Raw]]:
    """The findings and notes of each side's run, and what ran."""
    for problem in problems:
        pair = pair_of(problem)
        if problem.measured and obstacle(pair):
            yield problem, {}
            continue
        watched = _measured if problem.measured else _script
        with ThreadPoolExecutor(2) as pool:
            buggy = pool.submit(watched, "bad", pair)
            fixed = pool.submit(watched, "good", pair)
        try:
            yield problem, {"buggy": buggy.result(), "fixed": fixed.result()}
        except SideError as error:
            yield problem, {"error": without_folders(str(error))}


def _script(side: str, pair: Pair) -> Raw:
    """What the report on one side says that runs as a program. Raises SideError."""
    files = pair.bad if side == "bad" else pair.good
    with tempfile.TemporaryDirectory(prefix="deepperf-") as temporary:
        folder = Path(temporary)
        for file in files:
            (folder / file.path).write_text(file.text, encoding="utf-8")
        try:
            outcome, report = _run([files[0].path], folder, folder / REPORT, environment(1))
        except TookTooLong:
            raise SideError(f"{pair.id}: the {side} side ran too long") from None
    if outcome.status:
        raise SideError(f"{pair.id}: the {side} side does not run")
    return report


def _measured(side: str, pair: Pair) -> Raw:
    """What the report on one side says that runs as its workload says. Raises SideError."""
    # Memory is what is measured once; the measure itself is not looked at.
    plan = replace(plan_of(pair), quantity=MEMORY, warm_ups=0)
    said: list[Raw] = []

    def start(launch: Launch) -> Outcome:
        words = ["-m", "deepperf.bench.worker", str(launch.job)]
        around = environment(launch.threads) | dict(launch.variables)
        outcome, report = _run(words, launch.folder, launch.job.with_name(REPORT), around)
        said.append(report)
        return outcome

    run_side(side, pair, plan, start)
    return said[-1]


def _run(
    words: Sequence[str], folder: Path, report: Path, around: Mapping[str, str]
) -> tuple[Outcome, Raw]:
    """How a program ended under `deepperf run`, and the report on it. Raises TookTooLong."""
    command = [sys.executable, "-m", "deepperf", "run", "--format", "json"]
    # A session of its own, so that the watched program can be ended with who watches it.
    with subprocess.Popen(
        [*command, "--report", str(report), *words],
        cwd=folder,
        env=around,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said = process.communicate(timeout=LONGEST_SECONDS)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise TookTooLong from None
    data = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    return Outcome(process.returncode, said), _told(data)


def _told(report: Mapping[str, Any]) -> Raw:
    """What of a report is stored: nothing that names a folder of this machine."""
    run = report.get("run", {})
    return {
        "seconds": round(run.get("seconds", 0.0), 2),
        "versions": run.get("versions", {}),
        "problems": [without_folders(problem) for problem in run.get("problems", ())],
        "findings": [_item(item) for item in report.get("findings", ())],
        "notes": [_item(item) for item in report.get("notes", ()) if item["signal"] != STATIC],
    }


def _item(item: Mapping[str, Any]) -> Raw:
    kept = {name: item[name] for name in KEPT}
    kept["share"] = round(item["share"], 4)
    kept["path"] = item["file"].replace("\\", "/").rpartition("/")[2]
    for name in ("message", "evidence"):
        kept[name] = without_folders(item[name])
    return kept


def judge(problem: Problem, raw: Raw) -> Judgement:
    """By the rule above."""
    if not raw or "error" in raw:
        return Judgement(Verdict.NOT_APPLICABLE, raw.get("error", "it does not run here"))
    # What no rule is about is named by the cause itself.
    problem = replace(problem, rules=(*problem.rules, problem.cause))
    buggy, fixed = ([*_alarms(raw[side]["findings"])] for side in ("buggy", "fixed"))
    about = {code: frozenset({code}) for code in problem.rules}
    for alarm in fixed:
        if alarm.code in about:
            return Judgement(Verdict.SYMPTOM, f"{alarm.code} in the repaired program, too")
    judgement = judge_alarms(problem, buggy, fixed, about)
    if judgement.verdict.helps or judgement.verdict is Verdict.SYMPTOM:
        return judgement
    notes = [*_alarms(raw["buggy"]["notes"])]
    noted = judge_alarms(problem, notes, _alarms(raw["fixed"]["notes"]), about)
    if noted.verdict.helps:
        return Judgement(Verdict.SYMPTOM, f"a note alone: {noted.reason}")
    return judgement


def _alarms(items: Sequence[Raw]) -> Iterator[Alarm]:
    """Findings as alarms: of a rule, or, where no rule is about it, of a cause."""
    for item in items:
        yield Alarm(item["path"], item["line"], item["rule"] or item["cause"], item["message"])


def _version() -> str:
    tensorflow = version_of("tensorflow") or version_of("tensorflow-cpu")
    return f"{__version__}, TensorFlow {tensorflow}"


approach = Approach(
    name="run",
    title="deepperf run",
    version=_version,
    obstacle=lambda _: "",
    ask=ask,
    judge=judge,
)
