"""A part of a run is watched: from a step or a time on, or the regions that a program marks."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deepperf.dynamic.recorded import read_folder, read_recording
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.span import LENGTH, START, STOP, extent_of, watch_only
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import OPTIMIZER_STEPS, Trace

REGIONS = """
import asyncio, time
import deepperf

def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(300))

def outside():
    spin(0.4)

@deepperf.watch()
def inside():
    spin(0.3)

@deepperf.watch()
async def answers():
    spin(0.3)
    return 7

outside()
inside()
with deepperf.watch(record="kept.dperf"):
    with deepperf.watch():
        inside()
    inside()
outside()
assert asyncio.run(answers()) == 7
print("over")
"""


def stepped(folder: Path, told: dict[str, str]) -> Trace:
    """The trace of thirty steps of which each is noted with its number."""
    tape = Tape(folder / "t.dperf", ["program.py"])
    tape.start()
    watch_only(tape, told)
    for step in range(30):
        tape.note("seen", Place("program.py", step, "train"))
        tape.step(OPTIMIZER_STEPS)
    trace = tape.trace("exit")
    tape.finish()
    return trace


@pytest.mark.parametrize(
    ("told", "steps"),
    [
        ({START: "10", STOP: "20"}, range(10, 20)),
        ({START: "10", LENGTH: "5"}, range(10, 15)),
        ({LENGTH: "5", STOP: "8"}, range(5)),
        ({START: "30"}, range(0)),
        ({START: "1h"}, range(0)),
        ({STOP: "1.5m"}, range(30)),
    ],
)
def test_only_the_steps_asked_for_are_watched(
    tmp_path: Path, told: dict[str, str], steps: range
) -> None:
    trace = stepped(tmp_path, told)
    assert [seen.line for seen in trace.observations] == [*steps]


def test_time_that_is_not_watched_is_no_part_of_the_run(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "t.dperf", ["program.py"])
    tape.start()
    tape.step(OPTIMIZER_STEPS)
    tape.pause()
    time.sleep(0.4)
    tape.resume()
    tape.step(OPTIMIZER_STEPS)
    tape.step(OPTIMIZER_STEPS)
    trace = tape.trace("exit")
    tape.finish()
    assert trace.unwatched >= 0.4
    assert trace.seconds < 0.4
    (clock,) = trace.clocks
    assert max(longest for _, _, longest, _ in clock.points) < 0.4


@pytest.mark.parametrize("text", ["9x", "", "-3", "1.5", "s", "ten"])
def test_what_is_no_extent_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="neither a time"):
        extent_of(text)


def ran(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(REGIONS, encoding="utf-8")
    return subprocess.run(
        [sys.executable, *words, "program.py"],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_regions_of_a_program_are_told_at_its_end(tmp_path: Path) -> None:
    told = ran(tmp_path)
    assert (told.returncode, told.stdout) == (0, "over\n"), told.stderr
    assert "more were not watched" in told.stderr
    trace = read_recording(tmp_path / "kept.dperf").trace
    functions = {seen.function for seen in trace.samples}
    assert {"inside", "answers", "spin"} <= functions
    assert "outside" not in functions


def test_regions_record_into_the_folder_that_a_launcher_names(tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    folder.mkdir()
    told = ran(tmp_path, DEEPPERF_RECORD=str(folder))
    assert (told.returncode, told.stderr) == (0, "")
    (trace,) = read_folder(folder).traces
    assert "outside" not in {seen.function for seen in trace.samples}


def test_regions_make_no_difference_where_the_whole_run_is_watched(tmp_path: Path) -> None:
    told = ran(tmp_path, "-m", "deepperf", "run", "--record", "whole.dperf")
    assert (told.returncode, told.stdout) == (0, "over\n")
    assert told.stderr.count("deepperf: ") == 1
    trace = read_recording(tmp_path / "whole.dperf").trace
    assert "outside" in {seen.function for seen in trace.samples}


def test_the_part_to_watch_is_named_on_the_command_line(tmp_path: Path) -> None:
    wrong = ran(tmp_path, "-m", "deepperf", "run", "--for", "long")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("deepperf: --for: 'long' is neither a time")
    told = ran(tmp_path, "-m", "deepperf", "run", "--start-after", "1h")
    assert told.stdout == "over\n"
    assert "Nothing was recorded" in told.stderr
