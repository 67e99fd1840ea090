"""Where time is short, the most promising changes are decided before others are begun."""

from __future__ import annotations

import time

from deepperf.prove.measuring import CUT_OFF, INTERRUPTED, Bench, Judged, Trial, race
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


def interrupted_in(pair_number: int) -> tuple[Bench, list[Judged]]:
    """What is said of a fast change and two noisy ones when Ctrl-C comes in that pair."""
    made = 0

    def pair(one: Change, two: Change) -> tuple[Outcome, Outcome]:
        nonlocal made
        made += 1
        if made == pair_number:
            raise KeyboardInterrupt
        costs = (0.5 if "fast" in change.files else 1.0 + 0.3 * (made % 3) for change in (one, two))
        first, second = (Outcome(0, "", "", {}, 0.0, Cost(cpu, 1.0, 1)) for cpu in costs)
        return first, second

    bench = Bench(
        lambda change: pair(change, change)[0], pair, pair, SAME, Machine(2), 3,
        time.perf_counter() + 1000, lambda _: None,
    )  # fmt: skip
    trials = [Trial(name, Change({name: b""}), Quantity.CPU) for name in ("fast", "slow", "late")]
    said = race(bench, trials)
    return bench, [said[number] for number in range(3)]


def said_of(peaks: tuple[int, int], cpu: tuple[float, float] = (1.0, 1.0)) -> Judged:
    """What is said of a change after which a run holds and takes so much."""
    made = 0

    def pair(one: Change, two: Change) -> tuple[Outcome, Outcome]:
        nonlocal made
        made += 1
        first, second = (
            Outcome(0, "", "", {}, 0.0, Cost(cpu[at] + 0.001 * (made % 3), 1.0, peaks[at] + made))
            for at in (int(bool(one.files)), int(bool(two.files)))
        )
        return first, second

    bench = Bench(
        lambda change: pair(change, change)[0], pair, pair, SAME, Machine(2), 1,
        time.perf_counter() + 1000, lambda _: None,
    )  # fmt: skip
    return race(bench, [Trial("", Change({"train.py": b""}), Quantity.CPU)])[0]


def test_what_saves_no_time_and_a_third_of_the_memory_needs_less_memory() -> None:
    judged = said_of((900_000, 600_000))
    assert judged.answer is Answer.LEANER
    assert judged.quantity is Quantity.MEMORY
    assert judged.gain is not None
    assert round(judged.gain.saved, 2) == 0.33


def test_little_memory_more_memory_and_memory_for_time_are_no_gain() -> None:
    assert said_of((900_000, 880_000)).answer is Answer.NO_DIFFERENCE
    assert said_of((600_000, 900_000)).answer is Answer.NO_DIFFERENCE
    assert said_of((900_000, 600_000), (1.0, 1.3)).answer is Answer.SLOWER


def test_what_saves_time_is_judged_by_its_time() -> None:
    judged = said_of((900_000, 600_000), (1.0, 0.7))
    assert judged.answer is Answer.FASTER
    assert judged.quantity is Quantity.CPU


def test_with_time_enough_each_gets_a_first_look_before_any_gets_more() -> None:
    order, answers = ran_in_order(1.0)
    assert order[:8] == ["noisy"] * 4 + ["fast"] * 4
    assert answers == [Answer.NO_DIFFERENCE, Answer.FASTER]


def test_ctrl_c_leaves_what_was_decided_and_says_what_was_not() -> None:
    bench, (fast, slow, late) = interrupted_in(13)
    assert fast.answer is Answer.FASTER
    assert (slow.answer, late.answer) == (Answer.NOT_TRIED, Answer.NOT_TRIED)
    assert slow.said == late.said == CUT_OFF
    assert len(slow.pairs.before) == len(late.pairs.before) == 4
    assert bench.left == 0


def test_what_ctrl_c_comes_before_is_told_as_not_begun() -> None:
    bench, (fast, slow, late) = interrupted_in(6)
    assert fast.said == CUT_OFF, "after four pairs of it, no look was taken"
    assert (slow.said, late.said) == (CUT_OFF, INTERRUPTED)
    assert bench.interrupted


def test_where_time_is_short_one_is_decided_before_the_next_is_begun() -> None:
    order, answers = ran_in_order(200.0)
    assert order[:17] == ["noisy"] * 16 + ["fast"]
    assert answers == [Answer.NO_DIFFERENCE, Answer.FASTER]
