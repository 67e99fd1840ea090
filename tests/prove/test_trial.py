"""The sequential test keeps its bound on false wins, and finds gains that are there."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from deepperf.prove.trial import (
    FALSE_WINS,
    LOOKS,
    Answer,
    Sample,
    decided,
    decided_by_pace,
    gain_of,
    leaner,
    logs_of,
    noise_of,
)

pytest.importorskip("scipy")

RECORDED = Path(__file__).parents[2] / "evaluation" / "prove"
SESSIONS = 500
Draw = Callable[[random.Random], float]


def session(seed: int, draw: Draw, gains: Sequence[float]) -> list[Answer]:
    """What is said of candidates with these true gains (as logarithms) in a run of prove."""
    random_numbers = random.Random(seed)
    pairs: list[tuple[list[float], list[float]]] = [([], []) for _ in gains]
    answers: dict[int, Answer] = {}
    for look in LOOKS:
        open_ones = [number for number in range(len(gains)) if number not in answers]
        for number in open_ones:
            before, after = pairs[number]
            while len(before) < look:
                before.append(math.exp(draw(random_numbers)))
                after.append(math.exp(draw(random_numbers) - gains[number]))
        noise = noise_of([logs_of(before, after) for before, after in pairs])
        for number in open_ones:
            found = decided(*pairs[number], len(gains), noise)
            if found is not None:
                answers[number] = found[0]
    return [answers[number] for number in range(len(gains))]


NOISE: dict[str, Draw] = {
    "normal": lambda r: r.gauss(0.0, 0.015),
    "two frequencies": lambda r: r.choice((-0.02, 0.02)) + r.gauss(0.0, 0.001),
    "stalls": lambda r: r.gauss(0.0, 0.01) + (r.expovariate(3.0) if r.random() < 0.1 else 0.0),
}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("candidates", [1, 12])
def test_sessions_without_a_true_gain_win_no_more_often_than_is_said(
    noise: str, candidates: int
) -> None:
    sessions = 1200 // candidates
    answers = [session(seed, NOISE[noise], [0.0] * candidates) for seed in range(sessions)]
    false = sum(Answer.FASTER in one for one in answers)
    assert false / sessions <= FALSE_WINS


def test_of_twelve_gains_of_five_percent_eight_in_ten_are_found() -> None:
    gain = -math.log(0.95)
    answers = [one for seed in range(12) for one in session(seed, NOISE["normal"], [gain] * 12)]
    assert answers.count(Answer.FASTER) / len(answers) >= 0.8


def test_a_large_gain_is_found_at_the_first_look() -> None:
    before, after = [1.0, 1.01, 0.99, 1.0], [0.6, 0.61, 0.6, 0.59]
    found = decided(before, after, 20)
    assert found is not None
    answer, gain = found
    assert answer is Answer.FASTER
    assert gain.low < 0.4 < gain.high
    assert gain.pairs == LOOKS[0]


def test_a_sure_gain_below_two_percent_is_no_win() -> None:
    before, after = [1.0] * 16, [0.99 + 1e-4 * (n % 2) for n in range(16)]
    found = decided(before, after, 1)
    assert found is not None
    assert found[0] is Answer.NO_DIFFERENCE


def test_what_takes_longer_is_told_with_how_much() -> None:
    found = decided([1.0, 1.01, 0.99, 1.0], [1.5, 1.51, 1.5, 1.49], 5)
    assert found is not None
    assert found[0] is Answer.SLOWER
    assert found[1].saved == pytest.approx(-0.5, abs=0.02)


def test_nothing_is_decided_between_looks() -> None:
    assert decided([1.0] * 3, [0.5, 0.51, 0.5], 1) is None


def test_a_gain_is_the_part_of_the_time_that_is_saved() -> None:
    assert gain_of(logs_of([2.0, 2.0], [1.0, 1.0])).saved == pytest.approx(0.5)


def test_of_peaks_that_differ_by_chance_none_is_called_less() -> None:
    numbers = random.Random(0)
    draws = [[[numbers.gauss(1.0, 0.02) for _ in range(16)] for _ in "ab"] for _ in range(400)]
    assert not any(leaner(before, after, 1) for before, after in draws)


def test_noise_is_that_of_all_changes_around_their_own_means() -> None:
    assert noise_of([[0.1, 0.1], [5.0, 5.0]]) == 0.0
    assert noise_of([[0.0, 2.0], [10.0, 10.0]]) == pytest.approx(1.0)
    assert noise_of([[1.0]]) == 0.0


def test_what_is_faster_has_an_interval_of_gains_even_if_it_was_tried_alone() -> None:
    said = [
        found
        for seed in range(40)
        for look in LOOKS
        if (found := decided(*noisy(seed, look), 1)) is not None and found[0] is Answer.FASTER
    ]
    assert said
    assert all(gain.low > 0 for _, gain in said)


def noisy(seed: int, pairs: int) -> tuple[list[float], list[float]]:
    numbers = random.Random(seed)
    return [numbers.gauss(1.2, 0.15) for _ in range(pairs)], [1.0] * pairs


Runs = tuple[list[float], list[float]]


def paced_session(
    seed: int, draws: tuple[Draw, Draw], candidates: int, gain: float = 0.0
) -> list[Answer]:
    """What is said of candidates whose steps and whole runs both save a part (as a logarithm)."""
    numbers = random.Random(seed)
    kinds: list[list[Runs]] = [[([], []) for _ in range(candidates)] for _ in draws]
    answers: dict[int, Answer] = {}
    for look in LOOKS:
        waiting = [number for number in range(candidates) if number not in answers]
        for draw, runs in zip(draws, kinds, strict=True):
            for before, after in (runs[number] for number in waiting):
                while len(before) < look:
                    before.append(math.exp(draw(numbers)))
                    after.append(math.exp(draw(numbers) - gain))
        noises = [noise_of([logs_of(*pairs) for pairs in runs]) for runs in kinds]
        for number in waiting:
            pace, whole = (
                Sample(*runs[number], noise) for runs, noise in zip(kinds, noises, strict=True)
            )
            found = decided_by_pace(pace, whole, candidates)
            if found is not None:
                answers[number] = found[0]
    return [answers[number] for number in range(candidates)]


BY_DEVICE: dict[str, tuple[Draw, Draw]] = {
    "a busy device": (lambda r: r.gauss(0.0, 0.001), lambda r: r.gauss(0.0, 0.1)),
    "a host that limits": (lambda r: r.gauss(0.0, 0.05), lambda r: r.gauss(0.0, 0.15)),
    "two frequencies": (NOISE["two frequencies"], NOISE["stalls"]),
    "stalls": (NOISE["stalls"], NOISE["stalls"]),
}


@pytest.mark.parametrize("noise", BY_DEVICE)
@pytest.mark.parametrize("candidates", [1, 8])
def test_sessions_by_the_pace_of_steps_win_no_more_often_than_is_said(
    noise: str, candidates: int
) -> None:
    sessions = 600 // candidates
    answers = [paced_session(seed, BY_DEVICE[noise], candidates) for seed in range(sessions)]
    false = sum(Answer.FASTER in one for one in answers)
    assert false / sessions <= FALSE_WINS


@pytest.mark.parametrize("program", ["torch_gpu", "torch_gpu_images", "torch_gpu_text"])
def test_runs_of_the_same_program_recorded_on_a_device_are_no_gain_of_each_other(
    program: str,
) -> None:
    recorded = json.loads((RECORDED / f"2026-11-27-{program}.json").read_text("utf-8"))
    tried = recorded["proofs"][program]["candidates"]
    runs = [run for one in tried for run in one["before"]]
    numbers = random.Random(0)
    false = 0
    for _ in range(SESSIONS):
        one, other = ([numbers.choice(runs) for _ in range(LOOKS[-1])] for _ in "ab")
        for look in LOOKS:
            steps, wholes = (
                Sample([run[name] for run in one[:look]], [run[name] for run in other[:look]])
                for name in ("step_wall", "wall")
            )
            found = decided_by_pace(steps, wholes, 1)
            if found is not None:
                false += found[0] is Answer.FASTER
                break
    assert false / SESSIONS <= FALSE_WINS


def test_on_a_busy_device_five_percent_are_found_whatever_whole_runs_vary() -> None:
    draws, gain = BY_DEVICE["a busy device"], -math.log(0.95)
    answers = [one for seed in range(12) for one in paced_session(seed, draws, 8, gain)]
    assert answers.count(Answer.FASTER) / len(answers) >= 0.8


def test_what_saves_before_the_steps_is_faster_by_whole_runs() -> None:
    pace = Sample([0.010] * 4, [0.010, 0.01001, 0.010, 0.01001])
    whole = Sample([10.0, 10.1, 10.0, 9.9], [6.0, 6.1, 6.0, 6.0])
    found = decided_by_pace(pace, whole, 5)
    assert found is not None
    assert (found[0], found[2]) == (Answer.FASTER, whole)


def test_where_whole_runs_give_hope_there_are_more_pairs() -> None:
    same = [0.010, 0.01001, 0.010, 0.01001]
    pace, whole = Sample([0.010] * 4, same), Sample([10.0, 11.0, 10.0, 9.0], [9.0, 9.5, 8.0, 9.0])
    assert decided_by_pace(pace, whole, 5) is None
    found = decided_by_pace(pace, Sample(whole.before, [10.1, 10.9, 10.0, 9.1]), 5)
    assert found is not None
    assert (found[0], found[2]) == (Answer.NO_DIFFERENCE, pace)


def test_what_takes_longer_in_its_steps_is_not_faster_by_a_quick_start() -> None:
    pace = Sample([1.0, 1.01, 0.99, 1.0], [1.2, 1.21, 1.2, 1.19])
    found = decided_by_pace(pace, Sample([10.0, 10.1] * 2, [6.0, 6.1] * 2), 5)
    assert found is not None
    assert found[0] is Answer.SLOWER
