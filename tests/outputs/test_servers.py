"""What GitHub, GitLab and build servers read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.outputs.results_of import FAILURE, FINDING, NOTE, results

from deepperf.outputs import github, gitlab, junit
from deepperf.outputs.paint import PLAIN
from deepperf.outputs.results import Results
from deepperf.records import Level, Location, Report

FAILED = Results((Report("broken.py", (), (), (FAILURE,)),), {})
NASTY = "100%\r\n::error::x, y: z"


def test_a_finding_is_an_annotation_with_its_advice() -> None:
    first, summary = github.lines(results(FINDING), PLAIN)

    assert first.startswith(
        "::warning file=train.py,line=12,endLine=12,col=10,endColumn=25,"
        "title=deepperf%3A serial-map::'decode' runs on one core for each element of 'images'"
        "%0AInstead: pass num_parallel_calls=tf.data.AUTOTUNE%0AMeasured: 4x more time"
    )
    assert summary == "1 finding in 1 of 2 files; 1 fixable with --fix."


def test_columns_are_left_out_where_github_takes_none() -> None:
    over_lines = replace(FINDING, location=Location("a.py", 1, 5, 3, 2))
    in_cell = replace(FINDING, location=replace(FINDING.location, cell=2))
    first, second, _ = github.lines(results(over_lines, in_cell), PLAIN)

    assert first.startswith("::warning file=a.py,line=1,endLine=3,title=")
    assert second.startswith("::warning file=train.py,line=1,title=")
    assert "::cell 2, line 12: 'decode'" in second


def test_nothing_of_the_users_is_a_command() -> None:
    finding = replace(FINDING, message=NASTY, location=replace(FINDING.location, path=NASTY))
    first, *_ = github.lines(results(finding), PLAIN)

    assert "file=100%25\\x0d\\x0a%3A%3Aerror%3A%3Ax%2C y%3A z,line" in first
    assert first.count("\n") == 0


def test_what_was_not_checked_is_an_annotation_too() -> None:
    first, _ = github.lines(FAILED, PLAIN)

    assert first.startswith("::warning file=broken.py,line=3,")
    assert first.endswith("title=deepperf%3A not checked::invalid syntax")


def issues(shown: Results) -> Any:
    return json.loads("\n".join(gitlab.lines(shown, PLAIN)))


def test_gitlab_gets_what_its_schema_asks_for() -> None:
    first, second = issues(results(FINDING, NOTE, level=Level.NOTE))

    assert first["check_name"] == "serial-map"
    assert first["severity"] == "major"
    assert second["severity"] == "info"
    assert first["location"] == {"path": "train.py", "lines": {"begin": 12, "end": 12}}
    assert issues(FAILED)[0]["description"] == "not checked: invalid syntax"


def test_a_copy_of_a_function_is_an_issue_of_its_own_for_gitlab() -> None:
    finding = replace(FINDING, fingerprint="00")
    copy = replace(finding, location=replace(FINDING.location, path="copy.py"))
    alone, (first, second) = issues(results(finding)), issues(results(finding, copy))

    assert first["fingerprint"] != second["fingerprint"]
    assert first["fingerprint"] == alone[0]["fingerprint"]


@settings(max_examples=50)
@given(st.text(st.characters()))
def test_any_text_makes_xml_that_is_read_again(text: str) -> None:
    junitparser = pytest.importorskip("junitparser")
    finding = replace(FINDING, message=text, location=replace(FINDING.location, path=f"{text}.py"))
    document = "\n".join(junit.lines(results(finding), PLAIN))
    (suite,) = junitparser.JUnitXml.fromstring(document.encode("utf-8"))

    assert [len(case.result) for case in suite] == [1, 0]


def test_a_clean_file_is_a_passed_case() -> None:
    junitparser = pytest.importorskip("junitparser")
    document = "\n".join(junit.lines(results(FINDING), PLAIN))
    (suite,) = junitparser.JUnitXml.fromstring(document.encode("utf-8"))
    failed, passed = suite

    assert (suite.tests, suite.failures) == (2, 1)
    assert (failed.classname, failed.name) == ("train.py", "serial-map at line 12")
    assert failed.result[0].message == FINDING.message
    assert "Instead: pass num_parallel_calls" in failed.result[0].text
    assert (passed.classname, passed.is_passed) == ("clean.py", True)
