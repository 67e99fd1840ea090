"""What the report says of a run, in each format, as far as one file can tell."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.dynamic.made import HOT, SCRIPT, diagnosis, script, trace_of, verdict_of

from deepperf.dynamic.closing import closed
from deepperf.dynamic.diagnosis import Diagnosis, Standing, Weight
from deepperf.dynamic.join import Checked, Outcome
from deepperf.dynamic.recording.trace import Samples, Stack, ThreadTime
from deepperf.dynamic.report import Report, Screen, report_on
from deepperf.dynamic.report import json as as_json
from deepperf.dynamic.report import perfetto as as_perfetto
from deepperf.dynamic.report import text as as_text
from deepperf.dynamic.wishes import Wishes
from deepperf.outputs.paint import COLOUR
from deepperf.records import Level

DOCUMENT = Path(__file__).parents[2] / "docs" / "run-report.md"


def report_of(
    folder: Path,
    *findings: Diagnosis,
    notes: tuple[Diagnosis, ...] = (),
    level: Level = Level.WARNING,
) -> Report:
    path = script(folder)
    checked = tuple(
        Checked(outcome, "per-slice-op", str(path), line, "message", "said", 0.1)
        for line, outcome in enumerate(Outcome, start=1)
    )
    lines = {str(path): dict(enumerate(SCRIPT.splitlines(), start=1))}
    verdict = verdict_of(*findings, notes=notes)
    return Report(trace_of(path), verdict, checked, 0, level, (), lines)


def test_the_head_tells_the_program_its_time_and_its_steps(tmp_path: Path) -> None:
    said = as_text.show(report_of(tmp_path), Screen())
    assert "deepperf: python3 train.py --epochs 1" in said
    assert "ran 10.0 s after 2.0 s of imports" in said
    assert "199 optimizer steps, 40 ms each" in said.replace("\n", " ")


def test_a_finding_shows_its_share_place_line_evidence_and_remedy(tmp_path: Path) -> None:
    path = script(tmp_path)
    said = as_text.show(report_of(tmp_path, diagnosis(path)), Screen()).splitlines()
    first = said.index("█████·······  40% of the time  train.py:10 per-slice-op")
    assert said[first + 1 : first + 5] == [
        "    one slice after the other is summed",
        "     10 | out.append(np.sum(row))",
        "    seen: 4,000 calls of `sum` on 8 numbers",
        "    instead: give `np.sum` an axis",
    ]


def test_what_check_says_too_is_marked(tmp_path: Path) -> None:
    confirmed = diagnosis(script(tmp_path), standing=Standing.CONFIRMED)
    assert "per-slice-op, as check says" in as_text.show(report_of(tmp_path, confirmed), Screen())


def test_memory_is_told_from_time(tmp_path: Path) -> None:
    held = diagnosis(script(tmp_path), weight=Weight.MEMORY)
    assert "40% of the memory" in as_text.show(report_of(tmp_path, held), Screen())


def test_many_findings_fit_on_one_screen_and_in_its_width(tmp_path: Path) -> None:
    path = script(tmp_path)
    wordy = "a word " * 14
    many = [
        diagnosis(path, share=0.9 - number / 50, evidence=wordy, remedy=wordy)
        for number in range(20)
    ]
    notes = tuple(diagnosis(path, share=0.01, message=wordy) for _ in range(20))
    said: list[str] = []
    for width in (80, 100):
        said = as_text.show(report_of(tmp_path, *many, notes=notes), Screen(width)).splitlines()
        assert len(said) <= 45
        assert max(map(len, said)) <= width
    assert "14 more findings: --level note shows all in full" in "\n".join(said)
    whole = report_of(tmp_path, *many, notes=notes, level=Level.NOTE)
    assert as_text.show(whole, Screen()).count("instead:") == 20


def test_notes_are_cut_short_and_left_out_at_the_highest_level(tmp_path: Path) -> None:
    notes = tuple(diagnosis(script(tmp_path), line=line, share=0.01) for line in range(1, 8))
    assert "and 4 more: --level note" in as_text.show(report_of(tmp_path, notes=notes), Screen())
    strict = report_of(tmp_path, notes=notes, level=Level.ERROR)
    assert "Notes" not in as_text.show(strict, Screen())


def test_static_findings_are_counted_and_those_not_confirmed_listed(tmp_path: Path) -> None:
    said = as_text.show(report_of(tmp_path), Screen())
    assert "1 confirmed, 1 refuted, 1 open, 1 not seen." in said
    assert "    refuted   train.py:2 per-slice-op: said\n" in said
    assert "    confirmed" not in said


def test_nothing_wrong_is_an_answer(tmp_path: Path) -> None:
    said = as_text.show(report_of(tmp_path), Screen())
    assert "Nothing wrong found. The time goes to:\n     40%  " in said


def test_colours_are_only_for_terminals(tmp_path: Path) -> None:
    report = report_of(tmp_path, diagnosis(script(tmp_path)))
    plain = as_text.show(report, Screen())
    painted = as_text.show(report, Screen(paint=COLOUR))
    assert "\x1b" not in plain
    assert "\x1b[1;31m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain


def test_what_steers_a_terminal_is_spelled_out(tmp_path: Path) -> None:
    sly = diagnosis(
        script(tmp_path), message="a\x1b[2Jb\nc", evidence="\x1b]0;x\x07", remedy="\u202e"
    )
    said = as_text.show(report_of(tmp_path, sly), Screen())
    assert "a\\x1b[2Jb\\x0ac" in said
    assert not set("\x1b\x07\u202e") & set(said)


def test_a_machine_busy_with_other_things_is_told(tmp_path: Path) -> None:
    busy = report_on(closed(trace_of(script(tmp_path), coreless=6.0)), Wishes())
    assert "Others had all cores for 50% of the run" in as_text.show(busy, Screen())
    calm = report_on(closed(trace_of(script(tmp_path), coreless=0.5)), Wishes())
    assert calm.remarks == ()


def documented(heading: str) -> set[str]:
    """The keys that the page on the report lists under a heading."""
    part = (
        DOCUMENT.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    )
    return set(re.findall(r"^\| `(\w+)` \|", part, flags=re.MULTILINE))


def test_every_key_of_the_json_report_is_documented(tmp_path: Path) -> None:
    found = diagnosis(script(tmp_path))
    report = replace(report_of(tmp_path, found, notes=(found,)), silenced=2)
    data = json.loads(as_json.show(report, Screen()))
    assert data["version"] == 1
    assert set(data) == documented("The document")
    assert set(data["run"]) == documented("run")
    assert set(data["run"]["clock"]) == documented("clock")
    assert set(data["findings"][0]) == set(data["notes"][0]) == documented("findings and notes")
    assert set(data["static"][0]) == documented("static")
    assert set(data["lines"][0]) == documented("lines")


@pytest.mark.parametrize("level", Level)
def test_the_json_report_is_of_every_level(tmp_path: Path, level: Level) -> None:
    found = diagnosis(script(tmp_path))
    data = json.loads(
        as_json.show(report_of(tmp_path, found, notes=(found,), level=level), Screen())
    )
    assert data["findings"][0]["line"] == data["notes"][0]["line"] == HOT
    assert data["silenced"] == 0


def test_who_computes_is_told_unless_it_is_the_main_thread_alone(tmp_path: Path) -> None:
    report = report_of(tmp_path)
    at = Samples(report.trace.samples[0].file, HOT, "work", 50, 50, 50)

    def said(of_main: float) -> str:
        threads = (ThreadTime("worker", 2, 10.9 - of_main, (at,)),)
        trace = replace(report.trace, main_cpu_seconds=of_main, threads=threads)
        return as_text.show(replace(report, trace=trace), Screen())

    for of_main in (0.2, 5.5):
        assert '2 threads "worker", most at train.py:10' in said(of_main), of_main
    assert "Of the processor's time:" not in said(10.9)


def test_a_trace_for_viewers_has_calls_within_calls_memory_steps_and_threads(
    tmp_path: Path,
) -> None:
    path = script(tmp_path)
    calls = {"Linear.forward/linear": 100}
    samples = (
        Samples(str(path), HOT, "train", 200, 200, 20, calls=calls),
        Samples(str(path), 21, "<module>", 500, 300, 10),
    )
    thread = ThreadTime("producer", 2, 1.0, (Samples(str(path), 9, "produce", 50, 50, 50),))
    trace = trace_of(
        path,
        samples=samples,
        stacks=(Stack((0, 1), 200), Stack((1,), 300)),
        threads=(thread,),
        process=41,
    )
    found = diagnosis(path, share=0.4)
    report = replace(report_of(tmp_path, found), trace=trace, processes=(trace,))
    events = json.loads(as_perfetto.show(report, Screen()))["traceEvents"]
    assert {event["pid"] for event in events} == {41}
    slices = {event["name"]: event for event in events if event["ph"] == "X"}
    outer, inner = slices["train.py:21 <module>"], slices["train.py:10 train"]
    # 500 looks of 20 ms each, of which 200 were at the hot line.
    assert (outer["ts"], outer["dur"]) == (0, 10e6)
    assert (inner["ts"], inner["dur"]) == (0, 4e6)
    assert inner["args"] == {"finding": found.message}
    assert slices["Linear.forward"]["dur"] == slices["linear"]["dur"] == 2e6
    assert slices["train.py:9 produce"]["dur"] == 1e6
    assert slices["up to step 2"]["dur"] == pytest.approx(0.04e6)
    memory = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    assert memory == [held for _, held in trace.memory]
