"""What programs read is JSON with a version, whatever stands in it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.outputs.results_of import FAILURE, FINDING, NOTE, results

from deepperf.outputs import json as json_output
from deepperf.outputs.paint import COLOUR
from deepperf.outputs.results import Results
from deepperf.records import Finding, Level, Report


def document(shown: Results) -> Any:
    return json.loads("\n".join(json_output.lines(shown, COLOUR)))


def test_a_finding_has_all_its_parts() -> None:
    shown = document(results(FINDING, NOTE))

    assert (shown["version"], shown["files"], shown["hidden"]) == (1, 2, 1)
    (finding,) = shown["findings"]
    assert finding["rule"] == "serial-map"
    assert finding["level"] == "warning"
    assert finding["role"] == "source"
    assert finding["location"] == {
        "path": "train.py",
        "line": 12,
        "column": 10,
        "end_line": 12,
        "end_column": 25,
    }
    assert [step["text"] for step in finding["path"]] == ["the loop calls 'load'"]
    assert finding["fix"] == {
        "title": "Map in parallel",
        "safety": "safe",
        "edits": [{"start": 300, "end": 300, "text": ", num_parallel_calls=4"}],
    }


def test_the_evidence_comes_with_its_numbers() -> None:
    (measurement,) = document(results(FINDING))["rules"]["serial-map"]["measurements"]

    assert measurement["bad"] == [4.0, 4.2, 4.1]
    assert measurement["machine"]["cpu"] == "a processor"
    assert dict(measurement["versions"]) == {"tensorflow": "2.4.0"}


def test_a_place_in_a_notebook_names_its_cell() -> None:
    finding = replace(FINDING, location=replace(FINDING.location, cell=4))

    assert document(results(finding))["findings"][0]["location"]["cell"] == 4


def test_failures_are_listed() -> None:
    shown = document(Results((Report("broken.py", (), (), (FAILURE,)),), Level.NOTE, {}))

    assert shown["failures"] == [
        {
            "location": {
                "path": "broken.py",
                "line": 3,
                "column": 7,
                "end_line": 3,
                "end_column": 7,
            },
            "message": "invalid syntax",
            "internal": False,
            "attempt": "checked",
            "rule": "",
        }
    ]
    assert shown["internal_errors"] == 0


@given(st.text(st.characters()))
def test_any_text_makes_a_document_that_gives_it_back(text: str) -> None:
    finding: Finding = replace(FINDING, message=text, source_line=text)
    rendered = "\n".join(json_output.lines(results(finding), COLOUR))

    assert rendered.isascii()
    assert json.loads(rendered)["findings"][0]["message"] == text


def test_generated_files_are_counted_by_themselves() -> None:
    whole = Results((Report("ops_pb2.py", left_out=True), Report("train.py")), Level.NOTE, {})

    assert (document(whole)["files"], document(whole)["left_out"]) == (1, 1)
