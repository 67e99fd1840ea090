"""Every problem is well-formed, and the check names its cause where it shows in the source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from deepperf.bench.assess.approach import approaches
from deepperf.bench.assess.stored import PAPER, path_of, read_paper
from deepperf.bench.assess.table import paper_id
from deepperf.bench.collect import plan_of
from deepperf.bench.problems import Problem, ProblemError, find_problems, pair_of, read_problem
from deepperf.bench.recall import RECALL, buggy_of, findings_in, fixed_of, read_recall, sibling_of
from deepperf.rules.evidence import read_evidence, stale

PROBLEMS = Path(__file__).parents[2] / "problems"
FOLDERS = find_problems(PROBLEMS)


def readable() -> Iterator[Problem]:
    for folder in FOLDERS:
        with suppress(ProblemError):  # test_a_problem_is_well_formed says so
            yield read_problem(folder)


BY_STATIC_MEANS = [
    problem for problem in readable() if problem.static != "none" and problem.rules
]


def name_of(problem: Problem) -> str:
    return problem.id


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_problem_is_well_formed(folder: Path) -> None:
    problem = read_problem(folder)
    if problem.measured:
        plan_of(pair_of(problem))
    assert not problem.title.endswith(".")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_was_measured_is_about_the_programs_as_they_are(folder: Path) -> None:
    problem = read_problem(folder)
    changed = stale(read_evidence(problem.evidence, problem.id), [pair_of(problem)])
    assert changed == (), f"measure again: deepperf bench problems {problem.id}"


@pytest.mark.parametrize("problem", BY_STATIC_MEANS, ids=name_of)
def test_the_cause_is_named_on_each_marked_line(problem: Problem) -> None:
    found = buggy_of(problem, findings_in(problem))
    assert found.named == found.marked


BESIDE = {
    "so-54275734": ["serial-loader"],
    "so-55478678": ["serial-loader"],
    "so-60267911": ["predict-per-item"],
}
"""Repaired programs that read files in the training process: a problem of its own; and one that
is sent one reading after the other, of which a note says so.
"""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_nothing_else_is_found_in_the_repaired_program(folder: Path) -> None:
    problem = read_problem(folder)
    found = fixed_of(problem, findings_in(problem)).other
    assert [rule for _, _, rule in found] == BESIDE.get(folder.name, [])


@pytest.mark.parametrize("name", sorted(read_recall(PROBLEMS / RECALL)))
def test_a_sibling_that_was_found_is_still_found(name: str) -> None:
    problem = read_problem(PROBLEMS / name)
    found = sibling_of(problem, findings_in(problem))
    assert found.named == found.marked


def test_stored_verdicts_are_what_the_stored_outputs_give() -> None:
    problems = {problem.id: problem for problem in readable()}
    wrong = []
    for approach in approaches().values():
        path = path_of(PROBLEMS / "results", approach)
        if not path.exists():
            continue
        for name, stored in json.loads(path.read_text(encoding="utf-8"))["problems"].items():
            verdict = approach.judge(problems[name], stored["raw"]).verdict.value
            if verdict != stored.get("verdict"):
                wrong.append(f"{approach.name} on {name}: {verdict}")
    assert wrong == [], "run `deepperf bench assess` again"


def test_the_paper_s_codes_are_about_these_problems() -> None:
    known = read_paper(PROBLEMS / PAPER)
    assert {paper_id(problem) for problem in readable()} <= known.keys()
