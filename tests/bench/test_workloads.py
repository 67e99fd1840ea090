"""The whole programs, and what is measured and counted of them."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from deepperf.bench.workloads.campaign import Wanted, measure_workloads, same_results
from deepperf.bench.workloads.measured import Measured, read_measured, saved, write_measured
from deepperf.bench.workloads.report import write_report
from deepperf.bench.workloads.said import Said, at_line, told
from deepperf.bench.workloads.table import summary
from deepperf.bench.workloads.trial import Trial, differences, patched
from deepperf.bench.workloads.workload import (
    NoWorkloads,
    Problem,
    WorkloadError,
    find_workloads,
    named,
    read_workload,
)
from deepperf.dev.compilers import compilers_table, read_survey
from deepperf.dynamic.signals import signals
from deepperf.prove import opportunities
from deepperf.rules.evidence import Machine
from deepperf.rules.registry import find_rules

ROOT = Path(__file__).parents[2]
MACHINE = Machine("a processor", 2, 8 << 30, "", "a system")
FOLDERS = find_workloads(ROOT / "workloads")
WRITTEN = """\
import json
import sys


def total(count):
    numbers = []
    for number in range(count):
        numbers = numbers + [number]
    return sum(numbers)


print(json.dumps({"total": total(int(sys.argv[1]) if sys.argv[1:] else 3000)}))
"""
PATCH = """\
--- a/written.py
+++ b/written.py
@@ -7,3 +7,3 @@
     for number in range(count):
-        numbers = numbers + [number]
+        numbers.append(number)
     return sum(numbers)
"""
ABOUT = """\
system = "a sum"
idea = "nobody's"
categories = ["sums"]
framework = "json"
tolerance = 1e-6
small = ["3"]
short = ["30"]

[[problems]]
name = "copied"
line = 8
about = "the list is copied"
felt = "cpu"
expected = ["check"]
rules = ["growing-array"]
"""


def workload_in(folder: Path, written: str = WRITTEN) -> Path:
    home = folder / "summing"
    (home / "patches").mkdir(parents=True)
    (home / "workload.toml").write_text(ABOUT)
    (home / "written.py").write_text(written)
    tuned = WRITTEN.replace("numbers = numbers + [number]", "numbers.append(number)")
    (home / "tuned.py").write_text(tuned)
    (home / "patches" / "copied.patch").write_text(PATCH)
    return home


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_problem_has_its_line_and_each_patch_its_problem(folder: Path) -> None:
    workload = read_workload(folder)
    lines = (folder / "written.py").read_text(encoding="utf-8").splitlines()
    assert {path.stem for path in (folder / "patches").iterdir()} == {
        problem.name for problem in workload.problems
    }
    for problem in workload.problems:
        assert lines[problem.line - 1].strip(), problem.name
        assert problem.places & problem.changed, problem.name


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_patch_applies_alone_and_all_of_them_make_the_tuned_program(folder: Path) -> None:
    workload = read_workload(folder)
    written = (folder / "written.py").read_text(encoding="utf-8")
    for problem in workload.problems:
        with patched(workload, [problem]) as program:
            text = program.read_text(encoding="utf-8")
        compile(text, problem.name, "exec")
        assert text != written
    with patched(workload, workload.problems) as program:
        assert program.read_text(encoding="utf-8") == (folder / "tuned.py").read_text(
            encoding="utf-8"
        )


@pytest.mark.parametrize("name", ["serving"])
def test_a_tuned_program_gives_the_results_of_the_written_one(name: str) -> None:
    pytest.importorskip("torch")
    results, different = same_results(read_workload(ROOT / "workloads" / name))
    assert results
    assert not different


def test_a_workload_is_measured_and_its_gain_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    home, results = workload_in(tmp_path), tmp_path / "results"
    assert measure_workloads([home], results, Wanted(["measure"], rounds=1), MACHINE)
    kept = read_measured(results / "summing.json")
    assert set(kept.pairs) == {"tuned", "copied"}
    assert kept.pairs["tuned"][0][0].results == {"total": 4498500}
    assert kept.pairs["tuned"][0][0].cpu > 0
    assert "summing: tuned saves" in capsys.readouterr().out
    paths = write_report([home], results)
    assert [path.name for path in paths] == ["workloads.md", "workloads.svg", "workloads.png"]
    assert "| `summing` | copied | 8 | cpu |" in paths[0].read_text(encoding="utf-8")


def test_other_results_of_the_tuned_program_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = workload_in(tmp_path, WRITTEN.replace("3000", "2000"))
    assert not measure_workloads([home], tmp_path, Wanted(["measure"], rounds=1), MACHINE)
    said = capsys.readouterr().err
    assert said == "deepperf: summing: tuned gives other results: total: 1999000 and 4498500\n"


def test_a_program_that_fails_is_told_with_its_last_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = workload_in(tmp_path, WRITTEN.replace("sum(numbers)", "sum(number)"))
    assert not measure_workloads([home], tmp_path, Wanted(["measure"], rounds=1), MACHINE)
    assert "summing: written.py: status 1: TypeError" in capsys.readouterr().err


def test_what_tools_said_at_first_is_never_written_again(tmp_path: Path) -> None:
    home, path = workload_in(tmp_path), tmp_path / "summing.json"
    seen: Mapping[str, Mapping[str, tuple[Said, ...]]] = {
        "written": {"check": (Said("growing-array", (8,), "note", "copies"),)}
    }
    write_measured(path, Measured("summing", first=seen, first_date="2026-11-01"))
    assert measure_workloads([home], tmp_path, Wanted(["check"]), MACHINE)
    kept = read_measured(path)
    assert kept.first["written"] == seen["written"]
    assert kept.first_date == "2026-11-01"
    assert kept.first["tuned"] == kept.said["tuned"]


def problem_of(folder: Path) -> Problem:
    return read_workload(workload_in(folder)).problems[0]


def test_a_problem_is_told_by_a_rule_that_may_name_it_at_a_line_of_its_function(
    tmp_path: Path,
) -> None:
    problem = problem_of(tmp_path)
    loop = Said("growing-array", (7,), "warning", "")
    assert told(problem, [Said("growing-array", (12,), "note", ""), loop]) == loop
    assert told(problem, [Said("host-sync-in-loop", (8,), "warning", "")]) is None


def test_what_names_only_the_line_is_told_apart(tmp_path: Path) -> None:
    problem = problem_of(tmp_path)
    other = Said("host-sync-in-loop", (8,), "note", "")
    assert at_line(problem, [other]) == other
    assert at_line(problem, [replace(other, lines=(6,))]) is None


def test_a_saving_is_the_mean_of_ratios() -> None:
    one, half, quarter = (Trial(cpu, cpu, 1, {}) for cpu in (8.0, 4.0, 2.0))
    assert saved(((one, half), (one, quarter))) == pytest.approx((1 - 8**-0.5, 0.5, 0.75))


def test_results_within_the_tolerance_are_the_same() -> None:
    assert not differences({"loss": 1.0}, {"loss": 1.0001}, 1e-3)
    assert differences({"loss": 1.0}, {"loss": 1.1}, 1e-3) == ("loss: 1.0 and 1.1",)
    assert differences({"loss": 1.0}, {}, 1e-3)


def test_a_workload_that_does_not_exist_is_told_with_its_neighbour() -> None:
    with pytest.raises(NoWorkloads, match="did you mean"):
        named(["lamp"], FOLDERS)
    with pytest.raises(NoWorkloads, match="no workload is in it"):
        find_workloads(ROOT / "problems")


def test_a_broken_description_is_told(tmp_path: Path) -> None:
    home = workload_in(tmp_path)
    (home / "workload.toml").write_text("system = 1\n")
    with pytest.raises(WorkloadError, match="idea is missing"):
        read_workload(home)


def test_nothing_measured_makes_a_table_without_figures(tmp_path: Path) -> None:
    workload = read_workload(workload_in(tmp_path))
    assert "| `summing` | a sum |" in summary([(workload, Measured("summing"))])


def test_the_table_of_compilers_names_only_what_there_is() -> None:
    path = ROOT / "workloads" / "compilers.toml"
    tried = {found.name.replace("_", "-") for found in pkgutil.iter_modules(opportunities.__path__)}
    known = {
        "rules": {files.name for files in find_rules()},
        "signals": {signal.NAME for signal in signals()},
        "prove": tried,
    }
    for entry in read_survey(path)["optimizations"]:
        for kind, names in known.items():
            assert set(entry[kind]) <= names
    assert "| operator fusion | front end, block |" in compilers_table(path)
