"""What takes a part of each step and trains nothing is told from what is done now and then."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import sys

import numpy as np
import torch


def made():
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    return net, torch.optim.SGD(net.parameters(), lr=0.01)


def one_step(net, optimizer):
    loss = (net(torch.rand(256, 64)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def saving(steps):
    net, optimizer = made()
    for _ in range(steps):
        one_step(net, optimizer)
        torch.save(net.state_dict(), "net.pt")  # saved


def measuring(steps):
    net, optimizer = made()
    answers = []
    for _ in range(steps):
        loss = (net(torch.rand(16, 64)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        answers.append(np.full(4096, loss.item()))
        spread = np.std(answers)  # measured
    return spread


def careful(steps):
    net, optimizer = made()
    losses = []
    for step in range(steps):
        loss = one_step(net, optimizer)
        losses.append(loss.item())
        if step % 50 == 0:
            print(step, loss.item(), file=sys.stderr)
            torch.save(net.state_dict(), "kept.pt")
    print(sum(losses) / len(losses), file=sys.stderr)


def learn(memory, net, optimizer):
    if len(memory) < 16:
        return
    loss = (net(torch.stack(memory[-16:])) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def replaying(steps):
    net, optimizer = made()
    memory = []
    for _ in range(steps):
        memory.append(torch.rand(64))
        learn(memory, net, optimizer)


saving(400)
measuring(200)
careful(600)
replaying(1600)
"""


@pytest.mark.watched
def test_what_trains_nothing_and_takes_long_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "step-chores")
    told = {item["line"]: item["message"] for item in found}
    (saved,), (measured,) = marked(PROGRAM, "saved"), marked(PROGRAM, "measured")
    assert told == {
        saved: "a checkpoint is written within the training steps",
        measured: "every step computes again over everything collected so far",
    }
