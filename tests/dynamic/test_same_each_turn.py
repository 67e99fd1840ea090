"""What is asked the same in each turn of a loop of steps is told from what belongs to the steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import marked

from deepperf.dynamic.program.same_each_turn import is_given_the_same, same_in_turns
from deepperf.dynamic.program.turns import loops_around

PROGRAM = """\
class Trainer:
    def __init__(self, net, held):
        self.net, self.held = net, held
        self.seen = None

    def loss_on_held(self):
        total = 0.0
        for batch in self.held:
            total += self.net(batch)  # of what is held
        return total

    def act(self):
        return self.net(self.seen)  # of what was seen

    def observe(self, seen):
        self.seen = seen

    def over_batches(self, batches):
        for batch in batches:
            self.step(batch)  # step of batches
            self.loss_on_held()  # held, of batches

    def over_a_game(self, game):
        while not game.over:
            action = self.act()  # a turn of a game
            self.observe(game.play(action))
            self.step(game.batch())  # step of a game

    def now_and_then(self, batches):
        for number, batch in enumerate(batches):
            self.step(batch)  # step of numbered batches
            if number % 100 == 0:
                self.loss_on_held()  # held, now and then


def score(net, rows):
    return net(rows)  # of rows


def inline(net, batches, rows, optimizer):
    for batch in batches:
        wanted = score(net, rows)  # goes into the step
        loss = net(batch) - wanted
        optimizer.step(loss)  # step with a target
        print(loss, score(net, rows))  # shown beside the step
        score(net, batch)  # of the batch
        score(net, rows[:10])  # of some rows


def whole(net, rows, others, epochs):
    for epoch in range(epochs):
        net.train(rows, lr=0.1)  # step of an epoch
        score(net, others)  # after an epoch
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def is_same(program: str, inner: str, outer: str, step: str) -> bool:
    (line,), (at,) = marked(PROGRAM, inner), marked(PROGRAM, outer)
    loop = loops_around(program, at)[0]
    return same_in_turns([(program, line), (program, at)], 1, loop, *marked(PROGRAM, step))


@pytest.mark.parametrize(
    ("inner", "outer", "step"),
    [
        ("of what is held", "held, of batches", "step of batches"),
        ("of rows", "shown beside the step", "step with a target"),
        ("of rows", "of some rows", "step with a target"),
    ],
)
def test_what_no_turn_changes_is_the_same(program: str, inner: str, outer: str, step: str) -> None:
    assert is_same(program, inner, outer, step)


@pytest.mark.parametrize(
    ("inner", "outer", "step"),
    [
        ("of what was seen", "a turn of a game", "step of a game"),
        ("of what is held", "held, now and then", "step of numbered batches"),
        ("of rows", "goes into the step", "step with a target"),
        ("of rows", "of the batch", "step with a target"),
    ],
)
def test_what_turns_change_or_steps_need_is_not(
    program: str, inner: str, outer: str, step: str
) -> None:
    assert not is_same(program, inner, outer, step)


def test_a_step_of_all_the_data_is_an_epoch(program: str) -> None:
    (whole,), (part,) = marked(PROGRAM, "step of an epoch"), marked(PROGRAM, "step of batches")
    assert is_given_the_same(loops_around(program, whole)[0], whole)
    assert not is_given_the_same(loops_around(program, part)[0], part)
