"""Two recordings are compared by what counts for the user, with noise told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.dynamic import made

from deepperf.cli.main import main
from deepperf.dynamic.recorded import Recording, write_recording
from deepperf.dynamic.recording.trace import OPTIMIZER_STEPS, Clock, Observation, Trace
from deepperf.dynamic.signals import kinds_by_looks, signals
from deepperf.prove.recordings import Row, compared, failing

pytest.importorskip("scipy")


def clock(times: Sequence[float]) -> Clock:
    """A clock whose steps take so many seconds, over and over, 200 in all."""
    ended, points = 0.0, []
    for step in range(1, 201):
        ended += times[step % len(times)]
        points.append((step, ended, times[0], 10**8))
    return Clock(OPTIMIZER_STEPS, 200, points[0][1], ended, tuple(points))


def trace(
    folder: Path,
    step: float = 0.01,
    waits: int = 0,
    peak: int = 10**8,
    kind: str = "host-reads",
) -> Trace:
    path = made.script(folder)
    seen = Observation(kind, str(path), 3, "train", count=waits)
    whole = made.trace_of(path, clocks=(clock((step, step * 1.02)),), memory=((1.0, peak),))
    return replace(whole, observations=(seen,) if waits else ())


def rows_of(before: Trace, after: Trace) -> dict[str, Row]:
    rows = compared(Recording((before,), None), Recording((after,), None))
    return {row.name: row for row in rows}


def test_fewer_steps_per_second_are_worse_and_the_noise_is_told(tmp_path: Path) -> None:
    row = rows_of(trace(tmp_path), trace(tmp_path, 0.02))["steps"]
    assert row.change == pytest.approx(-0.5, abs=0.01)
    assert row.worse > 0.9
    assert row.noise is not None
    assert row.noise < 0.1


def test_equal_runs_pass_and_slower_ones_fail(tmp_path: Path) -> None:
    one, two = trace(tmp_path), trace(tmp_path, 0.012)
    same = compared(Recording((one,), None), Recording((one,), None))
    other = compared(Recording((one,), None), Recording((two,), None))
    assert failing(same, 0.05) == ()
    assert [row.name for row in failing(other, 0.05)] == ["steps"]


def test_more_memory_and_new_waits_fail(tmp_path: Path) -> None:
    one, two = trace(tmp_path, peak=10**8), trace(tmp_path, waits=200, peak=2 * 10**8)
    rows = compared(Recording((one,), None), Recording((two,), None))
    assert [row.name for row in failing(rows, 0.05)] == ["most memory held", "host-reads, count"]


def test_a_count_is_told_per_step(tmp_path: Path) -> None:
    rows = rows_of(trace(tmp_path, waits=200), trace(tmp_path, waits=100))
    assert (rows["host-reads, count"].before, rows["host-reads, count"].after) == (1.0, 0.5)


def test_what_is_seen_once_in_a_run_is_not_held_against_a_shorter_one(tmp_path: Path) -> None:
    longer = trace(tmp_path, waits=1)
    assert longer.clock is not None
    shorter = replace(longer, clocks=(replace(longer.clock, count=100),))
    for before in (longer, trace(tmp_path)):
        rows = compared(Recording((before,), None), Recording((shorter,), None))
        assert "host-reads, count" not in [row.name for row in failing(rows, 0.05)]


def test_what_some_looks_happened_to_show_is_worse_only_beyond_chance(tmp_path: Path) -> None:
    def fails(before: int, after: int, kind: str) -> bool:
        one, two = (trace(tmp_path, waits=count, kind=kind) for count in (before, after))
        return bool(failing(compared(Recording((one,), None), Recording((two,), None)), 0.05))

    assert not fails(2, 6, "array-loop")
    assert fails(20, 200, "array-loop")
    assert fails(2, 6, "host-reads")


def test_signals_that_count_by_looks_say_so() -> None:
    asking = re.compile(r"tape\.(at_samples|now_and_then|at_threads|during_operations)\(")
    sources = {one.NAME: Path(str(one.__file__)).read_text() for one in cast(list[Any], signals())}

    assert {name for name, text in sources.items() if asking.search(text)} == kinds_by_looks()


def test_the_command_fails_over_a_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(tmp_path / name) for name in ("before.dperf", "after.dperf")]
    for path, step in zip(paths, (0.01, 0.02), strict=True):
        write_recording(Recording((trace(tmp_path, step),), None), Path(path))
    assert main(["compare", *paths]) == 0
    assert main(["compare", *paths, "--fail-over", "5%"]) == 1
    shown = capsys.readouterr()
    assert "steps" in shown.out
    assert "deepperf: steps: worse by" in shown.err
