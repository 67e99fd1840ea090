from __future__ import annotations

from collections import Counter

import pytest
from tests.scan.builders import each, engine_of

from deepperf.scan.cage import Broken
from deepperf.scan.package import Batch, Limits, Package, Scanned, State
from deepperf.scan.plan import batches, drive

PACKAGES = tuple(Package(f"package-{n}", "1", "", size=size) for n, size in enumerate([9, 1] * 40))


def plan(packages: tuple[Package, ...], slots: int = 2) -> tuple[Batch, ...]:
    return tuple(batches(packages, Limits(), "rules", slots))


def test_every_package_is_in_one_batch_and_large_ones_come_first() -> None:
    planned = [package for batch in plan(PACKAGES) for package in batch.packages]

    assert Counter(planned) == Counter(PACKAGES)
    assert [one.size for one in planned] == [9] * 40 + [1] * 40


def test_small_packages_go_together_and_a_large_one_goes_alone() -> None:
    small = tuple(Package(f"small-{n}", "1", "", size=1000) for n in range(1000))
    large = Package("large", "1", "", size=10**9)

    first, *others = plan((*small, large))

    assert first.packages == (large,)
    assert max(len(batch.packages) for batch in others) == 50


def test_the_plan_does_not_depend_on_the_order() -> None:
    assert plan(PACKAGES) == plan(PACKAGES[::-1])


def driven(work: object) -> list[Scanned]:
    kept: list[Scanned] = []
    drive(plan(PACKAGES), engine_of(work), kept.append)
    return kept


def test_each_package_gives_one_result() -> None:
    assert {one.key for one in driven(each)} == {one.key for one in PACKAGES}


def test_packages_of_a_lost_machine_are_tried_again_alone() -> None:
    lost: list[Batch] = []

    def work(batch: Batch) -> tuple[Scanned, ...]:
        if not lost:
            lost.append(batch)
            raise ConnectionError("the machine is gone")
        return each(batch)

    kept = driven(work)

    assert len(kept) == len(PACKAGES) == len({one.key for one in kept})
    assert {one.state for one in kept} == {State.DONE}


def test_what_takes_every_machine_with_it_costs_one_row() -> None:
    def work(batch: Batch) -> tuple[Scanned, ...]:
        if any(one.name == "package-7" for one in batch.packages):
            raise ConnectionError("the machine\nis gone")
        return each(batch)

    kept = driven(work)

    assert len(kept) == len(PACKAGES)
    (row,) = (one for one in kept if one.state is not State.DONE)
    assert (row.package, row.state) == ("package-7", State.LOST)
    assert row.message == "ConnectionError: the machine is gone"


def test_where_nothing_can_be_scanned_the_scan_ends() -> None:
    def work(batch: Batch) -> tuple[Scanned, ...]:
        raise Broken("other rules there")

    with pytest.raises(Broken, match="other rules there"):
        driven(work)
