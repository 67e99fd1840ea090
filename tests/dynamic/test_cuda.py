"""What a CUDA device does in a training is told by line, of times alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
