from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.scan.builders import result, stored

from deepperf.config.options import WrongUse
from deepperf.scan.package import Scanned, Spent, State
from deepperf.scan.simulate import Cluster, simulated

LIKE = [
    replace(result((), f"package-{n}"), spent=Spent(seconds=n, elapsed=n, peak=n * 2**20))
    for n in range(1, 8)
]


def test_no_row_is_lost_though_workers_die_hang_and_run_out_of_memory(tmp_path: Path) -> None:
    stored(tmp_path, "night", *LIKE)

    found = simulated(
        tmp_path, "night", 3000, Cluster(4, killed=0.1, hanging=0.02, large=0.02, lost=0.05), seed=1
    )

    assert (found.rows, found.lost) == (3000, 0)
    assert {"done", "killed", "out of time", "out of memory"} <= found.states.keys()
    assert found.lost_batches > 0
    # Packages take 4 s on average, and those that hang ten minutes.
    assert 3000 * 4 / 3600 < found.core_hours < 3000 * 20 / 3600
    assert found.core_hours / 4 <= found.hours < found.core_hours / 3
    assert found.per_thousand == pytest.approx(found.core_hours * 0.05 / 3)


def test_nothing_goes_wrong_where_nothing_may(tmp_path: Path) -> None:
    stored(tmp_path, "night", *LIKE)
    quiet = Cluster(2, killed=0, hanging=0, large=0, lost=0)

    found = simulated(tmp_path, "night", 100, quiet, seed=0)

    assert found.states == {"done": 100}
    assert found == simulated(tmp_path, "night", 100, quiet, seed=0)


def test_packages_that_meet_a_limit_are_drawn_too(tmp_path: Path) -> None:
    slow = Scanned("mountain", "1", State.SLOW, spent=Spent(seconds=60))
    stored(tmp_path, "night", LIKE[0], slow)

    found = simulated(tmp_path, "night", 200, Cluster(2, 0.05, 0, 0, 0, 0), seed=0)

    assert found.states.keys() == {"done", "out of time"}
    assert found.core_hours > found.states["out of time"] * 60 / 3600


def test_a_run_without_any_package_that_was_checked_cannot_be_drawn_from(tmp_path: Path) -> None:
    stored(tmp_path, "night", Scanned("a", "1", State.KILLED))
    with pytest.raises(WrongUse, match="'night' has no package whose time is known"):
        simulated(tmp_path, "night", 10, Cluster(), seed=0)
