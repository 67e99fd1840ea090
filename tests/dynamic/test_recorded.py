"""A recording tells of its run without the program, and nothing that was done to it does harm."""

from __future__ import annotations

import gzip
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import HOT, SCRIPT, diagnosis, script, trace_of

from deepperf.cli.main import main
from deepperf.dynamic import recorded
from deepperf.dynamic.closing import closed
from deepperf.dynamic.recorded import Recording, Told, TraceError, read_recording, write_recording
from deepperf.dynamic.recording.trace import Observation, write_trace

EDITS = 400
SEED = 20261126


def told_of(recording: Recording) -> Told:
    assert recording.told is not None
    return recording.told


def recording_of(folder: Path) -> Recording:
    """One in which something of every kind is told."""
    path = script(folder)
    seen = Observation("array-loop", str(path), 9, "train", 3, detail={"arrays": {"row": [8]}})
    recording = closed(trace_of(path, observations=(seen,), problems=("a signal: failed",)))
    told = told_of(recording)
    few = diagnosis(path, line=21, share=0.001, signal="loader-wait", rule="")
    others = (one for one in told.diagnoses if one.line != HOT)
    told = replace(told, diagnoses=(diagnosis(path, share=0.41), few, *others))
    return replace(recording, told=told)


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording in a folder where its program lies, too."""
    monkeypatch.chdir(tmp_path)
    write_recording(recording_of(tmp_path), Path("t.dperf"))
    return Path("t.dperf")


def report(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["report", "t.dperf", *words])
    said = capsys.readouterr()
    return status, said.out + said.err


def contents(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def rewrite(path: Path, data: object) -> None:
    path.write_bytes(gzip.compress(json.dumps(data).encode(), 1))


def test_lines_are_those_that_ran_and_a_changed_file_is_named(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, before = report(capsys)
    script(Path(), "import os\n\n\n" + SCRIPT)
    changed = report(capsys)[1]
    assert status == 0
    assert "10 | out.append(np.sum(row))" in before
    assert changed == before + (
        "Since the run, train.py has changed: the lines shown are those that ran\n"
    )


def test_a_report_is_the_same_without_the_program(
    trace: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = {name: report(capsys, "--format", name) for name in ("text", "json")}
    (tmp_path / "train.py").unlink()
    assert {name: report(capsys, "--format", name) for name in ("text", "json")} == before
    assert "per-slice-op" in before["text"][1]


@pytest.mark.parametrize("format_name", ["text", "json", "html", "perfetto"])
def test_no_file_is_opened_that_a_trace_names(
    trace: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, format_name: str
) -> None:
    if format_name == "html":
        pytest.importorskip("jinja2")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.txt").write_text("the secret\n" * 30, encoding="utf-8")
    Path("link").symlink_to(secret)
    whole = json.dumps(contents(trace))
    for name in (str(secret / "key.txt"), "link/key.txt", "../x/key.txt", "/dev/zero", "a\0b"):
        text = whole.replace(json.dumps(str(tmp_path / "train.py")), json.dumps(name))
        rewrite(trace, json.loads(text))
        status, said = report(capsys, "--format", format_name, "--level", "note")
        assert status == 0
        assert "the secret" not in said
        assert ("has changed" in said) == name.startswith(str(secret))


def test_the_command_line_picks_from_what_a_trace_tells(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def lines(*words: str) -> list[int]:
        data = json.loads(report(capsys, "--format", "json", *words)[1])
        return [item["line"] for item in data["findings"] + data["notes"]]

    assert lines() == [HOT, 21]
    assert lines("--ignore", "loader-wait") == [HOT]
    assert lines("--select", "loader-wait") == [21]
    assert report(capsys, "--select", "nonsens")[0] == 2


def test_what_nobody_closed_tells_its_times(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_trace(trace, read_recording(trace).processes)
    status, said = report(capsys)
    assert status == 0
    assert "train.py:21 in <module>" in said
    assert "Deepperf was killed before it could say what the run lost" in said


def test_a_broken_recording_in_a_folder_costs_one_line_and_the_rest_is_told(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path("recorded")
    folder.mkdir()
    whole = trace.read_bytes()
    (folder / "1.dperf").write_bytes(whole)
    assert main(["report", "recorded"]) == 0
    assert capsys.readouterr().err == ""
    (folder / "2.dperf").write_bytes(whole[: len(whole) // 2])
    (folder / "3.dperf").write_bytes(b"no recording")
    assert main(["report", "recorded"]) == 3
    said = capsys.readouterr()
    assert "train.py" in said.out
    assert said.err == (
        "deepperf: recorded/2.dperf: is no trace (left out)\n"
        "deepperf: recorded/3.dperf: is no trace (left out)\n"
    )
    (folder / "1.dperf").unlink()
    assert main(["report", "recorded"]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 3
    assert said.err.endswith("recorded: no recording there can be read\n")


@pytest.mark.parametrize(
    ("version", "complaint"),
    [
        (5, "was recorded by an older deepperf (format 5, not 6): record again"),
        (7, "was not recorded by this deepperf, which reads format 6"),
        ("6", "was not recorded by this deepperf, which reads format 6"),
    ],
)
def test_another_version_is_told_in_one_line(
    trace: Path, capsys: pytest.CaptureFixture[str], version: object, complaint: str
) -> None:
    rewrite(trace, {**contents(trace), "version": version})
    assert report(capsys) == (2, f"deepperf: t.dperf: {complaint}\n")


def test_a_file_that_unpacks_to_more_than_any_trace_is_refused_early(
    trace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trace.write_bytes(gzip.compress(b"[" + b" " * (recorded.MOST_BYTES + 1), 1))
    assert "holds more than any trace" in report(capsys)[1]
    monkeypatch.setattr(recorded, "MOST_PACKED", 2**10)
    trace.write_bytes(random.Random(0).randbytes(2**11))
    assert "is larger than any trace" in report(capsys)[1]


@pytest.mark.parametrize(
    "nonsense",
    [
        {"seconds": "long"},
        {"seconds": -1.0},
        {"overhead": float("nan")},
        {"interval": 10**400},
        {"python": "x" * 10**6},
        {"machine": 2},
        {"folder": None},
        {"clocks": [{"name": "luck", "count": 1, "first": 0, "last": 1, "points": []}]},
        {"samples": [{"file": 3, "line": 1, "function": "f", "total": 1, "own": 1, "python": 1}]},
    ],
)
def test_a_trace_that_no_run_left_is_refused_in_one_line(
    trace: Path, nonsense: dict[str, Any]
) -> None:
    data = contents(trace)
    data["processes"][0].update(nonsense)
    rewrite(trace, data)
    with pytest.raises(TraceError, match=re.escape("t.dperf: is no whole trace: ")):
        read_recording(trace)


def test_random_edits_end_in_a_report_or_in_one_line(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(SEED)
    whole = trace.read_bytes()
    outcomes = {0: 0, 2: 0}
    begin = time.process_time()
    for number in range(EDITS):
        edit = chance.choice(EDITS_OF_BYTES if number % 4 == 0 else EDITS_OF_VALUES)
        trace.write_bytes(edit(chance, whole))
        status, said = report(capsys, "--format", FORMATS[number % len(FORMATS)], "--level", "note")
        assert status in outcomes, f"edit {number}: {said}"
        assert status == 0 or said.count("\n") == 1, f"edit {number}: {said}"
        outcomes[status] += 1
    assert min(outcomes.values()) > EDITS / 20, "one side of the reader was never met"
    assert time.process_time() - begin < EDITS / 4


FORMATS = ("text", "json", "perfetto", "html")


def flipped(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data))]


def flipped_within(chance: random.Random, data: bytes) -> bytes:
    return gzip.compress(flipped(chance, gzip.decompress(data)), 1)


def cut_within(chance: random.Random, data: bytes) -> bytes:
    return gzip.compress(cut(chance, gzip.decompress(data)), 1)


ODD: tuple[object, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10**30, 10**400, -(10**9), 0.5, -0.5, 1e-320, 1e308),
    *(float("nan"), float("inf"), "", "x", "\0", "\ud800", "/", "..", "x" * 10**5, "\x1b[2J"),
    *([], {}, [[]], [None], {"": None}, [0] * 10**4),
)


def odd_value(chance: random.Random, data: bytes) -> bytes:
    """A value is another, of any type."""
    return edited(chance, data, lambda _: chance.choice(ODD))


def odd_number(chance: random.Random, data: bytes) -> bytes:
    """A number is another, a text another text."""

    def change(value: object) -> object:
        if isinstance(value, str):
            return chance.choice([one for one in ODD if isinstance(one, str)])
        factor = chance.choice((-1, 0, 1e-9, 10, 1e9, 1e15))
        return type(value)(value * factor) if isinstance(value, (int, float)) else value

    return edited(chance, data, change)


def left_out(chance: random.Random, data: bytes) -> bytes:
    """A key or an item is gone."""
    return edited(chance, data, lambda _: GONE)


def swapped(chance: random.Random, data: bytes) -> bytes:
    """A value is that of another place."""
    others = [holder[key] for holder, key in places(json.loads(gzip.decompress(data)))]
    return edited(chance, data, lambda _: chance.choice(others))


GONE = object()


def edited(chance: random.Random, data: bytes, change: Callable[[Any], object]) -> bytes:
    """A trace with one to three of its values changed; seldom that is one of a long list."""
    document = json.loads(gzip.decompress(data))
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice([*places(document)])
        value = change(holder[key])
        if value is GONE:
            del holder[key]
        else:
            holder[key] = value
    return gzip.compress(json.dumps(document).encode(), 1)


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Where values are: all in a dictionary, and the first and the last in a list."""
    for key in [*document] if isinstance(document, dict) else sorted({0, len(document) - 1}):
        if document:
            yield document, key
            if isinstance(document[key], (dict, list)):
                yield from places(document[key])


EDITS_OF_BYTES = (flipped, cut, flipped_within, cut_within)
EDITS_OF_VALUES = (odd_value, odd_number, odd_number, left_out, swapped)
