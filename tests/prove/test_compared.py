"""What of runs is compared: steps only where a step of one is the work of a step of the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import cycle

import pytest

from deepperf.prove.compared import Pairs, pays_off, quantity_in
from deepperf.prove.measuring import Bench, Judged, Trial, race
from deepperf.prove.offer import Machine, Quantity
from deepperf.prove.printed import common
from deepperf.prove.runs import Change, Cost, Outcome
from deepperf.prove.sameness import Expected
from deepperf.prove.trial import Answer

pytest.importorskip("scipy")
SAME = Expected(0, common([""], 0.001), {})
HOST, DEVICE = Machine(2), Machine(2, 1)
UNEVEN = (1.0, 1.2, 0.85, 1.1, 0.95)
"""How many times as long whole runs take that are the same."""


def cost(steps: int, paced: float, wall: float = 10.0) -> Cost:
    return Cost(wall, wall, 1000, steps, paced, paced, 0.0, paced)


def pairs(before: Cost, after: Cost) -> Pairs:
    return Pairs((before,) * 4, (after,) * 4)


def judged(before: Cost, after: Cost, wanted: Quantity = Quantity.CPU) -> Judged:
    """What is said of a change after which a run on a device costs so much, if whole runs vary."""
    factors: Iterator[float] = cycle(UNEVEN)

    def outcome(change: Change) -> Outcome:
        one = after if change.files else before
        wall = one.wall * next(factors)
        told = Cost(wall, wall, one.peak, one.steps, one.step_cpu, one.step_wall, 0.0, one.paced)
        return Outcome(0, "", "", {}, 0.0, told)

    bench = Bench(
        outcome, lambda one, two: (outcome(one), outcome(two)),
        lambda one, two: (outcome(one), outcome(two)), SAME, DEVICE, 4,
        time.perf_counter() + 1000, lambda _: None,
    )  # fmt: skip
    return race(bench, [Trial("", Change({"train.py": b""}), wanted)])[0]


def test_on_a_device_the_pace_of_steps_is_compared() -> None:
    both = pairs(cost(100, 0.03), cost(100, 0.02))
    assert quantity_in(both, Quantity.CPU, DEVICE) is Quantity.PACE
    assert quantity_in(both, Quantity.WALL, DEVICE) is Quantity.PACE
    assert quantity_in(both, Quantity.STEP, DEVICE) is Quantity.STEP
    assert quantity_in(both, Quantity.CPU, HOST) is Quantity.CPU


def test_without_steps_or_a_clock_of_the_device_whole_runs_are_compared() -> None:
    assert quantity_in(pairs(cost(0, 0.0), cost(0, 0.0)), Quantity.WALL, DEVICE) is Quantity.WALL
    assert quantity_in(pairs(cost(9, 0.0), cost(9, 0.0)), Quantity.CPU, DEVICE) is Quantity.CPU


def test_runs_of_other_numbers_of_steps_are_compared_as_a_whole() -> None:
    halved = pairs(cost(100, 0.03), cost(50, 0.03))
    for machine in (HOST, DEVICE):
        assert quantity_in(halved, Quantity.STEP, machine) is Quantity.CPU
    assert quantity_in(halved, Quantity.WALL, DEVICE) is Quantity.WALL
    once = Pairs((cost(100, 0.03),) * 4, (*(cost(100, 0.03),) * 3, cost(99, 0.03)))
    assert quantity_in(once, Quantity.CPU, DEVICE) is Quantity.CPU


def test_smaller_batches_and_more_steps_are_not_faster() -> None:
    said = judged(cost(100, 0.03), cost(200, 0.015))
    assert said.answer is Answer.NO_DIFFERENCE
    assert said.quantity is Quantity.CPU


def test_a_gain_per_step_is_found_though_whole_runs_vary_by_more() -> None:
    said = judged(cost(100, 0.030), cost(100, 0.027))
    assert (said.answer, said.quantity) == (Answer.FASTER, Quantity.PACE)
    assert len(said.pairs.before) == 4
    assert said.whole is not None


def test_a_gain_before_the_steps_is_found_by_whole_runs() -> None:
    said = judged(cost(100, 0.030), cost(100, 0.030, 4.0), Quantity.WALL)
    assert (said.answer, said.quantity) == (Answer.FASTER, Quantity.WALL)
    assert said.whole is None


def test_the_same_steps_and_whole_runs_that_vary_are_no_gain() -> None:
    said = judged(cost(100, 0.030), cost(100, 0.030))
    assert (said.answer, said.quantity) == (Answer.NO_DIFFERENCE, Quantity.PACE)


def test_a_longer_start_is_told_by_steps_until_it_pays_off() -> None:
    slow_to_start = pairs(cost(100, 0.03, 5.0), cost(100, 0.02, 9.0))
    assert pays_off(Quantity.PACE, slow_to_start) == 500
    assert pays_off(Quantity.PACE, pairs(cost(100, 0.03, 5.0), cost(100, 0.02, 4.0))) == 0
    by_chance = Pairs(
        (cost(100, 0.03, 5.0), cost(100, 0.03, 6.0)), (cost(100, 0.02, 4.6), cost(100, 0.02, 4.9))
    )
    assert pays_off(Quantity.PACE, by_chance) == 0
