"""Losses that can be read are held against each other, also where the program prints none."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from tests.dynamic.watched import needs

from deepperf.prove.copying import copy_project, planned, walked
from deepperf.prove.runs import UNCHANGED, Change, Outcome, Program, run_once, serving
from deepperf.prove.sameness import Expected, difference, expected_of
from deepperf.prove.trajectory import MOST_KEPT, Keeper, Losses
from deepperf.prove.workplace import Workplace, workplace

TORCH = """
import torch

torch.manual_seed(0)
weight = torch.zeros(3, requires_grad=True)
for step in range(100):
    loss = ((weight - torch.ones(3)) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        weight -= 0.01 * weight.grad
        weight.grad = None
"""
KERAS = """
import keras
import numpy as np

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((8, 2)), np.ones((8, 1)), epochs=3, verbose=0)
"""


def outcome(*values: float, output: str = "", count: int = 0) -> Outcome:
    return Outcome(0, output, "", {}, 1.0, losses=Losses(count or len(values), values))


def expected(*runs: Outcome) -> Expected:
    found = expected_of(runs)
    assert isinstance(found, Expected)
    return found


def test_the_same_losses_are_the_same() -> None:
    given = expected(outcome(2.0, 1.0, 1e-6), outcome(2.0, 1.0, 1e-6))

    assert not given.compares_nothing
    assert difference(given, outcome(2.0001, 1.0, 2e-6)) == ""


def test_losses_that_part_are_a_difference() -> None:
    given = expected(outcome(2.0, 1.0), outcome(2.0, 1.0))

    assert difference(given, outcome(2.0, 1.1)) == (
        "its loss is 1.1 where 1 was, in part 2 of 2 of its training"
    )
    assert difference(given, outcome(2.0, math.nan)) != ""


def test_single_losses_may_part_by_rounding_where_their_mean_does_not() -> None:
    losses = [2.0, 1.0] * 32
    jittered = [loss * (1.0015 if number % 4 < 2 else 0.9985) for number, loss in enumerate(losses)]
    lower = [loss * 0.998 for loss in losses]
    given = expected(outcome(*losses), outcome(*losses))

    assert difference(given, outcome(*jittered)) == ""
    assert difference(given, outcome(*lower)) != ""


def test_losses_that_differ_from_run_to_run_are_not_compared() -> None:
    given = expected(outcome(2.0, 1.0), outcome(2.0, 1.5))

    assert difference(given, outcome(2.0, 9.0)) == ""
    assert difference(given, outcome(3.0, 1.0)) != ""
    assert expected(outcome(1.0), outcome(2.0)).compares_nothing


def test_another_number_of_losses_is_a_difference_where_nothing_else_is_compared() -> None:
    silent = expected(outcome(2.0, 1.0), outcome(2.0, 1.0))
    telling = expected(outcome(2.0, 1.0, output="loss 1"), outcome(2.0, 1.0, output="loss 1"))

    assert difference(silent, outcome(2.0)) == "it computes gradients of 1 losses where 2 were"
    assert difference(telling, outcome(2.0, output="loss 1")) == ""


def test_of_many_losses_some_are_kept_evenly_spread() -> None:
    keeper = Keeper()
    for number in range(1000):
        keeper.note(float(number))

    told = keeper.told()

    values = [float(value) for value in told["values"]]
    assert told["count"] == 1000
    assert MOST_KEPT // 2 <= len(values) <= MOST_KEPT
    assert values[0] == 0
    assert len({after - before for before, after in pairwise(values)}) == 1


@pytest.fixture
def place() -> Iterator[Workplace]:
    with workplace() as made:
        yield made


def runs_of(
    folder: Path, place: Workplace, framework: str, text: str, other: str
) -> tuple[Outcome, Outcome]:
    needs(framework)
    root = folder / "project"
    root.mkdir()
    (root / "train.py").write_text(text)
    template = place.folder / "template"
    template.mkdir()
    copy_project(root, planned(walked(root), lambda _: False), template)
    program = Program(root, ".", ("train.py",))
    with serving(1, place, [framework]) as server:
        return tuple(  # type: ignore[return-value]
            run_once(program, place, server, change, 100.0)
            for change in (UNCHANGED, Change({"train.py": other.encode()}))
        )


def test_a_training_that_prints_nothing_is_held_to_its_losses(
    tmp_path: Path, place: Workplace
) -> None:
    same, other = runs_of(tmp_path, place, "torch", TORCH, TORCH.replace("0.01", "0.011"))
    assert same.losses is not None
    given = expected(same, same)

    assert same.losses.count == 100
    assert same.losses.values[0] == 3.0
    assert difference(given, same) == ""
    assert "its loss is" in difference(given, other)


def test_of_keras_the_losses_of_epochs_are_read(tmp_path: Path, place: Workplace) -> None:
    same, other = runs_of(tmp_path, place, "keras", KERAS, KERAS.replace('"sgd"', '"adam"'))
    assert same.losses is not None

    assert same.losses.count == 3
    assert "its loss is" in difference(expected(same, same), other)
