"""Where time is short, the most promising changes are decided before others are begun."""

from __future__ import annotations

import time

from deepperf.prove.measuring import Bench, Trial, race
from deepperf.prove.offer import Machine, Quantity
from deepperf.prove.printed import common
from deepperf.prove.runs import Change, Cost, Outcome
from deepperf.prove.sameness import Expected
from deepperf.prove.trial import Answer

SAME = Expected(0, common([""], 0.001), {})


def ran_in_order(seconds_of_a_run: float) -> tuple[list[str], list[Answer]]:
    """The changes that ran, one after the other, and what was said of a fast and a noisy one."""
    order: list[str] = []

    def pair(one: Change, two: Change) -> tuple[Outcome, Outcome]:
        names = ["".join(change.files) for change in (one, two)]
        order.append("".join(names))
        cpu = {"": 1.0, "fast": 0.5, "noisy": 0.7 if len(order) % 4 < 2 else 1.4}
        costs = (Cost(cpu[name], 1.0, 1) for name in names)
        first, second = (Outcome(0, "", "", {}, 0.0, cost) for cost in costs)
        return first, second

    until = time.perf_counter() + 1000
    bench = Bench(
        lambda change: pair(change, change)[0], pair, pair, SAME, Machine(2), 2, until,
        lambda _: None, seconds=seconds_of_a_run,
    )  # fmt: skip
    trials = [Trial(name, Change({name: b""}), Quantity.CPU) for name in ("noisy", "fast")]
    said = race(bench, trials)
    return order, [said[number].answer for number in range(2)]


def test_with_time_enough_each_gets_a_first_look_before_any_gets_more() -> None:
    order, answers = ran_in_order(1.0)
    assert order[:8] == ["noisy"] * 4 + ["fast"] * 4
    assert answers == [Answer.NO_DIFFERENCE, Answer.FASTER]


def test_where_time_is_short_one_is_decided_before_the_next_is_begun() -> None:
    order, answers = ran_in_order(200.0)
    assert order[:17] == ["noisy"] * 16 + ["fast"]
    assert answers == [Answer.NO_DIFFERENCE, Answer.FASTER]
