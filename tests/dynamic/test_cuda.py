"""What a CUDA device does in a training is told by line: of times alone, and of recordings from an
NVIDIA H200."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.dynamic.programs_cuda import CLEAN, MASKED, PAGED, RAGGED, READS, STARVED
from tests.dynamic.watched import marked, report_on_device, told_by

from deepperf.dynamic.frameworks.idle_gaps import gaps_of, idle_at, merged

ROOT = Path(__file__).parents[2]


def test_gaps_are_what_no_kernel_covers() -> None:
    busy = merged([(3.0, 4.0), (1.0, 2.0), (1.5, 2.5), (9.0, 12.0)])
    assert busy == [(1.0, 2.5), (3.0, 4.0), (9.0, 12.0)]
    assert gaps_of(busy, (0.0, 10.0)) == [(0.0, 1.0), (2.5, 3.0), (4.0, 9.0)]
    assert gaps_of([], (0.0, 1.0)) == [(0.0, 1.0)]
    assert gaps_of([(-5.0, 0.5)], (0.0, 1.0)) == [(0.5, 1.0)]


def test_idle_time_belongs_to_where_the_program_was() -> None:
    gaps = [(1.0, 2.0), (3.0, 3.00005), (5.0, 6.0)]
    looks = [(0.9, "loader"), (1.2, "loader"), (1.6, "step"), (2.9, "step"), (5.5, "reads")]
    found = {one.spot: one for one in idle_at(gaps, looks, waits=[(4.0, 5.00001)])}
    assert found["loader"].elsewhere == 0.5
    # Nobody looked in the short gap: it was still where it was last seen.
    assert found["step"].launching > 0.0
    assert found["step"].elsewhere == 0.5
    assert found["reads"].waited == 1.0
    assert sum(one.seconds for one in found.values()) == sum(end - begin for begin, end in gaps)
    assert idle_at(gaps, [], []) == []


def test_copies_from_unpinned_memory_cost_what_their_line_does(tmp_path: Path) -> None:
    (told,) = told_by(report_on_device(tmp_path, PAGED), "device-transfers")
    assert [told["line"]] == marked(PAGED, "copied")
    assert told["weight"] == "time"
    assert told["share"] > 0.6
    assert told["evidence"].startswith("67.1 MB in each of the ")


def test_single_values_that_are_read_in_each_step_are_told(tmp_path: Path) -> None:
    told = told_by(report_on_device(tmp_path, READS), "device-transfers")
    assert [item["line"] for item in told] == marked(READS, "read")
    assert "each is a host-device synchronization" in told[0]["evidence"]


def test_memory_that_is_reserved_and_never_taken_at_once_is_told(tmp_path: Path) -> None:
    (told,) = told_by(report_on_device(tmp_path, RAGGED), "device-memory")
    assert [told["line"]] == marked(RAGGED, "reserved")
    assert told["evidence"].startswith("78.8 GB were reserved, and at most 2.7 GB allocated")


def test_of_a_training_that_keeps_the_device_busy_nothing_is_told(tmp_path: Path) -> None:
    report = report_on_device(tmp_path, CLEAN)
    assert report["findings"] == []
    signals = {item["signal"] for item in report["notes"]}
    assert not {one for one in signals if "device" in one or "accelerator" in one}


def test_a_device_that_waits_for_a_loader_is_told_with_the_lines_that_keep_it_waiting(
    tmp_path: Path,
) -> None:
    report = report_on_device(tmp_path, STARVED)
    (told,) = told_by(report, "idle-accelerator")
    (prepared,) = marked(STARVED, "prepared")
    assert told["line"] == prepared - 1
    assert told["evidence"].startswith("it was at work in 0% of 0.52 s, 21 steps with 861 kernels")
    assert f"28% at line {prepared}" in told["evidence"]
    assert "training waits for its `DataLoader`" in told["evidence"]


def test_lines_that_wait_for_the_device_are_told_also_where_no_value_is_read(
    tmp_path: Path,
) -> None:
    told = told_by(report_on_device(tmp_path, MASKED), "device-transfers")
    waits = {item["line"]: item["evidence"] for item in told}
    assert set(marked(MASKED, "masked")) < set(waits)
    assert all("17 synchronizing operations in each of 54 steps" in one for one in waits.values())


@pytest.mark.watched
def test_programs_for_a_device_run_without_one_and_nothing_is_said_of_it(tmp_path: Path) -> None:
    script = ROOT / "benchmarks" / "cuda_recordings.py"
    ran = subprocess.run(
        [sys.executable, str(script), str(tmp_path), "masked"],
        capture_output=True,
        text=True,
        timeout=170,
        check=True,
    )
    assert "failed" not in ran.stdout, ran.stdout
    assert "exit code 0" in ran.stdout
    assert len([*tmp_path.glob("*.dperf")]) == 1
