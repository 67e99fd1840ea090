"""Gradients of weights that nobody changes are told from those of a training."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import torch
from torch.nn import Linear, ReLU, Sequential

def made(width):
    return Sequential(Linear(16, width), ReLU(), Linear(width, 4))


class Distilling:
    def __init__(self):
        self.student, self.teacher, self.frozen, self.target = (made(w) for w in (8, 256, 64, 64))
        self.critic = made(16)
        self.frozen.requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.student.parameters())
        self.other = torch.optim.Adam(self.critic.parameters())

    def step(self, rows):
        out = self.student(rows)
        aim = self.teacher(rows)  # unused
        aim = aim + self.frozen(rows) + self.target(rows).detach()
        loss = ((out - aim) ** 2).mean() + self.critic(rows).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


training = Distilling()
for number in range(400):
    training.step(torch.randn(64, 16))
    if number % 100 == 99:
        training.other.step()
"""

BY_HAND = """\
import torch

net = torch.nn.Linear(64, 64)
for _ in range(300):
    net(torch.randn(32, 64)).sum().backward()
    with torch.no_grad():
        for weight in net.parameters():
            weight -= 0.001 * weight.grad
            weight.grad = None
"""


def test_a_teacher_that_gets_gradients_is_told(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, PROGRAM, "unused-gradients")
    assert [found["line"]] == marked(PROGRAM, "unused")


def test_weights_that_the_program_changes_by_itself_are_not(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, BY_HAND, "unused-gradients") == []
