"""What programs read is JSON with a version, whatever stands in it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st
from tests.outputs.results_of import EVIDENCE, FAILURE, FINDING, NOTE, results

from deepperf.outputs import json as json_output
from deepperf.outputs.paint import COLOUR
from deepperf.outputs.results import Results
from deepperf.records import Finding, Level, Report
from deepperf.rules.evidence import sentence


def document(shown: Results) -> Any:
    return json.loads("\n".join(json_output.lines(shown, COLOUR)))


def test_a_finding_has_all_its_parts() -> None:
    shown = document(results(FINDING, NOTE))

    assert (shown["version"], shown["files"], shown["hidden"]) == (2, 2, 1)
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
    assert finding["sketch"] == ""
    assert finding["fix"] == {
        "title": "Map in parallel",
        "safety": "safe",
        "edits": [{"start": 300, "end": 300, "text": ", num_parallel_calls=4"}],
    }


def test_what_was_measured_comes_in_one_sentence() -> None:
    shown = document(results(FINDING))["rules"]["serial-map"]

    assert shown == {"status": "measured", "sentence": sentence(EVIDENCE)}


def test_every_document_is_as_its_published_schema_says() -> None:
    schema = json.loads(files("deepperf.outputs").joinpath("report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    in_cell = replace(FINDING, location=replace(FINDING.location, cell=4), related=FINDING.path)
    failed = Results((Report("broken.py", (), (), (FAILURE,)),), {})

    for shown in (results(FINDING, NOTE, in_cell, level=Level.NOTE), failed):
        jsonschema.validate(document(shown), schema)


def test_a_place_in_a_notebook_names_its_cell() -> None:
    finding = replace(FINDING, location=replace(FINDING.location, cell=4))

    assert document(results(finding))["findings"][0]["location"]["cell"] == 4


def test_failures_are_listed() -> None:
    shown = document(Results((Report("broken.py", (), (), (FAILURE,)),), {}))

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
    whole = Results((Report("ops_pb2.py", left_out=True), Report("train.py")), {})

    assert (document(whole)["files"], document(whole)["left_out"]) == (1, 1)
