"""What is around a loop: how often it is come to, and what the rest takes beside it."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import file

from deepperf.semantics.estimate.enclosing import Pace

ROWS = """
import torch


def rows(batch: torch.Tensor):
    return torch.stack([torch.fft.fft(row) for row in batch])
"""
USERS = {
    "nobody": "",
    "once": "print(rows(torch.ones(100, 8)))",
    "step": """
def train(model, loader, optimizer):
    for batch in loader:
        loss = model(rows(batch)).sum()
        loss.backward()
        optimizer.step()
""",
    "seldom": """
def train(model, loader, optimizer):
    for step, batch in enumerate(loader):
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(rows(batch))
""",
    "beside a training": """
def main(model, loader, optimizer):
    print(rows(torch.ones(100, 8)))
    for batch in loader:
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()


main(build(), load(), choose())
""",
}


def around(user: str) -> tuple[Pace, float]:
    text_file = file(ROWS + USERS[user])
    loop = next(loop for loop in text_file.loops() if loop.is_comprehension)
    return loop.enclosing


@pytest.mark.parametrize(
    ("user", "pace"),
    [
        ("nobody", Pace.UNKNOWN),
        ("once", Pace.ONCE),
        ("step", Pace.OFTEN),
        ("seldom", Pace.ONCE),
        ("beside a training", Pace.ONCE),
    ],
)
def test_how_often_a_loop_is_come_to(user: str, pace: Pace) -> None:
    assert around(user)[0] is pace


def test_a_training_in_the_same_run_counts_as_the_rest() -> None:
    assert around("beside a training")[1] > 10 * around("once")[1]


def test_what_is_much_of_a_step_need_not_be_much_of_a_run() -> None:
    step, run = (file(ROWS + USERS[user]) for user in ("step", "beside a training"))
    found = [next(loop for loop in one.loops() if loop.is_comprehension) for one in (step, run)]
    assert [loop.enclosing.is_much(0.01) for loop in found] == [True, False]
