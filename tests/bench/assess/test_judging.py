"""Verdicts follow from stored outputs by the written rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.small_problem import written

from deepperf.bench.assess import (
    original,
    own_check,
    own_run,
    profiler,
    pylint,
    ruff,
    torchfix,
    warned,
    xla,
)
from deepperf.bench.assess.approach import (
    Raw,
    Setting,
    UnknownApproach,
    Verdict,
    approaches,
    chosen,
    without_folders,
)
from deepperf.bench.launch import in_fresh_process
from deepperf.bench.problems import Problem, read_problem


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    """Its marked line is the 11th, and `per-slice-op` would name its cause."""
    return read_problem(written(tmp_path))


def with_tensorflow(problem: Problem) -> Problem:
    (buggy,) = problem.buggy
    return replace(problem, buggy=(replace(buggy, text=buggy.text.replace("numpy", "tensorflow")),))


def sides(buggy: list[str], fixed: list[str] | None = None) -> Raw:
    return {"buggy": buggy, "fixed": fixed or []}


def test_every_approach_is_found_by_its_name() -> None:
    programs = {"deepperf", "original", "pylint", "ruff", "torchfix"}
    assert {*programs, "profiler", "run", "warnings", "xla"} <= approaches().keys()
    assert [one.name for one in chosen(["xla", "ruff"])] == ["xla", "ruff"]
    with pytest.raises(UnknownApproach, match=r"flake: no such approach \(there are deepperf, "):
        chosen(["flake"])


def test_a_rule_on_a_marked_line_names_cause_and_line(problem: Problem) -> None:
    raw = {"buggy.py": [[11, "per-slice-op", "one by one"]], "fixed.py": []}
    judgement = own_check.judge(problem, raw)
    assert judgement.verdict is Verdict.LINE
    assert judgement.reason == "per-slice-op at 1 of 1 places"


def test_a_rule_elsewhere_names_the_cause_alone(problem: Problem) -> None:
    raw = {"buggy.py": [[10, "per-slice-op", "one by one"]], "fixed.py": []}
    assert own_check.judge(problem, raw).verdict is Verdict.CAUSE


def test_another_rule_on_the_marked_line_shows_the_place_alone(problem: Problem) -> None:
    raw = {"buggy.py": [[11, "loop-invariant-op", "again"]], "fixed.py": []}
    assert own_check.judge(problem, raw).verdict is Verdict.SYMPTOM


def test_an_alarm_that_the_repaired_program_raises_too_says_nothing(problem: Problem) -> None:
    raw = {
        "buggy.py": [[10, "per-slice-op", "one by one"]],
        "fixed.py": [[10, "per-slice-op", "one by one"]],
    }
    assert own_check.judge(problem, raw).verdict is Verdict.SILENT


def test_a_general_linter_points_at_the_place_at_most(problem: Problem) -> None:
    on_place = sides(["buggy.py:11:5: PERF401 Use a list comprehension"])
    assert ruff.approach.judge(problem, on_place).verdict is Verdict.SYMPTOM
    elsewhere = ruff.approach.judge(
        problem, sides(["buggy.py:3:5: PERF401 Use a list comprehension"])
    )
    assert elsewhere.verdict is Verdict.SILENT
    assert elsewhere.reason == "1 alarms about other things"
    said = sides(["buggy.py:11:11: consider-using-generator Consider using a generator"])
    assert pylint.approach.judge(problem, said).verdict is Verdict.SYMPTOM


def test_torchfix_does_not_apply_to_programs_without_torch(problem: Problem) -> None:
    assert torchfix.approach.judge(problem, sides([])).verdict is Verdict.NOT_APPLICABLE


def test_the_original_checkers_are_read_by_their_words(problem: Problem) -> None:
    assert original.judge(problem, sides([])).verdict is Verdict.NOT_APPLICABLE
    mapped = replace(with_tensorflow(problem), rules=("serial-map",))
    alarm = (
        "[Checker3 Find]: ['[Find] (map) in buggy.py/11 should be called with num_parallel_calls']"
    )
    assert original.judge(mapped, sides([alarm])).verdict is Verdict.LINE
    grown = replace(with_tensorflow(problem), rules=("graph-growth",))
    alarm = "['[Checker1 Find] tf.square in buggy.py, line 11, column 8\\n']"
    assert original.judge(grown, sides([alarm])).verdict is Verdict.LINE
    batched = replace(with_tensorflow(problem), rules=("map-before-batch",))
    alarm = (
        "[Checker2 Find]: ['[Find] (batch) in buggy.py/3 should be called before (map) in "
        "buggy.py/11']"
    )
    assert original.judge(batched, sides([alarm])).verdict is Verdict.LINE


def test_a_framework_s_warning_counts_if_the_repaired_program_has_none(problem: Problem) -> None:
    retraced = replace(problem, rules=("retracing",))
    warning = "WARNING:tensorflow:5 out of the last 5 calls to <f> triggered tf.function retracing."
    assert warned.judge(retraced, sides([warning])).verdict is Verdict.CAUSE
    assert warned.judge(retraced, sides([warning], [warning])).verdict is Verdict.SILENT
    located = f"buggy.py:11: UserWarning: {warning}"
    assert warned.judge(retraced, sides([located])).verdict is Verdict.LINE
    assert warned.judge(problem, sides([warning])).verdict is Verdict.SYMPTOM


def test_warnings_about_other_things_say_nothing(problem: Problem) -> None:
    warning = "buggy.py:4: DeprecationWarning: use square2 instead"
    assert warned.judge(problem, sides([warning])).verdict is Verdict.SILENT
    assert warned.judge(problem, {}).verdict is Verdict.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("cost", "verdict"),
    [(1.05, Verdict.FIXED), (2.0, Verdict.EASED), (3.9, Verdict.SILENT), (6.0, Verdict.SILENT)],
)
def test_xla_is_judged_by_how_much_of_the_gap_it_closes(
    problem: Problem, cost: float, verdict: Verdict
) -> None:
    raw = {
        "quantity": "CPU time",
        "beside_fixed": [4.0, 4.0],
        "fixed": [1.0, 1.0],
        "beside_xla": [4.0, 8.0],
        "xla": [cost, 2 * cost],
    }
    assert xla.judge(problem, raw).verdict is verdict


def test_xla_does_not_apply_where_the_gap_is_not_in_time(problem: Problem) -> None:
    raw = {"quantity": "CPU time", "beside_fixed": [1.1], "fixed": [1.0]}
    judgement = xla.judge(problem, raw)
    assert judgement.verdict is Verdict.NOT_APPLICABLE
    assert judgement.reason == "the gap is not in CPU time"


def profile(**said: object) -> Raw:
    return {"advice": [], "operations": [["MatMul", "MatMul", 1.0]], "peak": [], **said}


def test_the_profiler_names_causes_in_the_input_pipeline_alone(problem: Problem) -> None:
    raw = profile(advice=["Your program is HIGHLY input-bound because 63.7% of ..."])
    mapped = replace(problem, rules=("serial-map",))
    assert profiler.judge(mapped, raw).verdict is Verdict.CAUSE
    assert profiler.judge(problem, raw).verdict is Verdict.SYMPTOM


def test_the_profiler_names_a_cause_by_the_operation_that_takes_the_time(problem: Problem) -> None:
    named = profile(operations=[["_FusedSquare", "x", 0.2], ["Mul", "square_3/Mul", 0.4]])
    assert profiler.judge(problem, named).verdict is Verdict.CAUSE
    rare = profile(operations=[["Square", "x", 0.3], ["Mul", "x", 0.7]])
    assert profiler.judge(problem, rare).verdict is Verdict.SILENT


def test_the_profiler_shows_the_peak_of_a_problem_about_memory(problem: Problem) -> None:
    hoarding = replace(problem, symptoms=("out-of-memory",))
    assert profiler.judge(hoarding, profile(peak=[["Add", 4096]])).verdict is Verdict.SYMPTOM
    assert profiler.judge(hoarding, profile(peak=[["Square", 4096]])).verdict is Verdict.CAUSE
    assert profiler.judge(problem, profile(peak=[["Square", 4096]])).verdict is Verdict.SILENT


def test_the_profiler_s_word_of_python_s_time_shows_a_symptom(problem: Problem) -> None:
    often = "79.1% of the total step time sampled is spent on 'All Others' time"
    seldom = "5.2% of the total step time sampled is spent on 'All Others' time"
    assert profiler.judge(problem, profile(advice=[often])).verdict is Verdict.SYMPTOM
    assert profiler.judge(problem, profile(advice=[seldom])).verdict is Verdict.SILENT


def test_what_was_not_recorded_is_not_judged(problem: Problem) -> None:
    assert profiler.judge(problem, {}).verdict is Verdict.NOT_APPLICABLE
    assert profiler.judge(problem, profile(operations=[])).verdict is Verdict.NOT_APPLICABLE
    advised = profile(operations=[], advice=["Your program is POTENTIALLY input-bound"])
    assert profiler.judge(problem, advised).verdict is Verdict.SILENT


def test_no_folder_of_a_machine_is_stored() -> None:
    said = "/tmp/deepperf-1/side/buggy.py:4: UserWarning: see https://a.org/b/c and x/y"
    assert without_folders(said) == "buggy.py:4: UserWarning: see https://a.org/b/c and x/y"


def seen(line: int, rule: str, cause: str = "missed-batch-api", path: str = "buggy.py") -> Raw:
    return {"path": path, "line": line, "rule": rule, "cause": cause, "message": "one by one"}


def runs(buggy: list[Raw], fixed: list[Raw] | None = None, notes: list[Raw] | None = None) -> Raw:
    return {
        "buggy": {"findings": buggy, "notes": notes or []},
        "fixed": {"findings": fixed or [], "notes": []},
    }


def test_a_run_names_the_cause_by_its_rule_at_the_line(problem: Problem) -> None:
    judgement = own_run.judge(problem, runs([seen(11, "per-slice-op")]))
    assert judgement.verdict is Verdict.LINE
    assert own_run.judge(problem, runs([seen(3, "per-slice-op")])).verdict is Verdict.CAUSE
    assert own_run.judge(problem, runs([seen(11, "graph-growth")])).verdict is Verdict.SYMPTOM


def test_a_run_names_the_cause_itself_where_no_rule_is_about_it(problem: Problem) -> None:
    assert own_run.judge(problem, runs([seen(11, "", problem.cause)])).verdict is Verdict.LINE
    other = own_run.judge(problem, runs([seen(11, "", "graph-confusion")]))
    assert other.verdict is Verdict.SYMPTOM


def test_what_a_run_only_notes_is_a_symptom(problem: Problem) -> None:
    judgement = own_run.judge(problem, runs([], notes=[seen(11, "per-slice-op")]))
    assert judgement.verdict is Verdict.SYMPTOM
    assert judgement.reason == "a note alone: per-slice-op at 1 of 1 places"


def test_a_cause_that_the_repaired_program_s_run_has_too_is_no_help(problem: Problem) -> None:
    fixed = [seen(4, "per-slice-op", path="fixed.py")]
    judgement = own_run.judge(problem, runs([seen(11, "per-slice-op")], fixed))
    assert judgement.verdict is Verdict.SYMPTOM
    assert judgement.reason == "per-slice-op in the repaired program, too"


def test_both_programs_are_run_as_the_workload_says(problem: Problem) -> None:
    setting = Setting(in_fresh_process, 1)
    ((_, raw),) = own_run.ask([problem], setting)
    assert raw["buggy"]["problems"] == raw["fixed"]["problems"] == []
    assert "numpy" in raw["buggy"]["versions"]
    assert own_run.judge(problem, raw).verdict is Verdict.SILENT
