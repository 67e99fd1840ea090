"""Steps on a row or two of many are found; larger or heavy ones are not, nor where no more are."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

SETUP = """\
import torch
from torch.utils.data import DataLoader, TensorDataset


def made(width):
    net = torch.nn.Sequential(
        torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, 1)
    )
    return net, torch.optim.Adam(net.parameters())


"""

TINY = (
    SETUP
    + """\
def one_step(net, optimizer, rows, targets):
    optimizer.zero_grad()
    answers = net(rows)  # tiny
    torch.nn.functional.mse_loss(answers, targets).backward()
    optimizer.step()


data = TensorDataset(torch.rand(3000, 32), torch.rand(3000, 1))
net, optimizer = made(32)
for rows, targets in DataLoader(data, batch_size=2, shuffle=True):
    one_step(net, optimizer, rows, targets)
"""
)

PICKED = (
    SETUP
    + """\
rows = torch.rand(1500, 32)
net, optimizer = made(32)
for number in torch.randperm(1500).tolist():
    optimizer.zero_grad()
    net(rows[number]).square().mean().backward()  # tiny
    optimizer.step()
"""
)

WITH_LOSS = (
    SETUP
    + """\
data = TensorDataset(torch.rand(6000, 32), torch.rand(6000, 1))
net, optimizer = made(32)
loss_of = torch.nn.MSELoss()
for rows, targets in DataLoader(data, batch_size=4, shuffle=True):
    optimizer.zero_grad()
    loss_of(net(rows), targets).backward()  # tiny
    optimizer.step()
"""
)

BATCHES = (
    SETUP
    + """\
data = TensorDataset(torch.rand(30000, 32), torch.rand(30000, 1))
net, optimizer = made(32)
for rows, targets in DataLoader(data, batch_size=32, shuffle=True):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(net(rows), targets).backward()
    optimizer.step()
"""
)

HEAVY = (
    SETUP
    + """\
net = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Conv2d(16, 8, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
data = TensorDataset(torch.rand(300, 3, 64, 64))
for (images,) in DataLoader(data, batch_size=2):
    optimizer.zero_grad()
    net(images).square().mean().backward()
    optimizer.step()
"""
)

NUMBERS = (
    SETUP
    + """\
class Curve(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)
        )

    def forward(self, times):
        return self.layers(times[:, None])


net = Curve()
optimizer = torch.optim.Adam(net.parameters())
for (times,) in DataLoader(TensorDataset(torch.rand(30000)), batch_size=32):
    optimizer.zero_grad()
    net(times).square().mean().backward()
    optimizer.step()
"""
)

ALL_THERE_IS = (
    SETUP
    + """\
point = torch.rand(1, 32)
net, optimizer = made(32)
for _ in range(1000):
    optimizer.zero_grad()
    net(point).square().mean().backward()
    optimizer.step()
"""
)

ONE_BY_ONE = (
    SETUP
    + """\
state = torch.rand(1, 32)
net, optimizer = made(32)
for _ in range(1000):
    optimizer.zero_grad()
    answer = net(state)
    answer.square().mean().backward()
    optimizer.step()
    state = (state + answer.detach()).tanh()
"""
)


@pytest.mark.watched
@pytest.mark.parametrize("program", [TINY, PICKED], ids=["loader", "picked"])
def test_steps_on_a_row_or_two_are_found(tmp_path: Path, program: str) -> None:
    found = diagnoses(tmp_path, program, "tiny-steps")
    assert [item["line"] for item in found] == marked(program, "tiny")
    assert found[0]["cause"] == "improper-hyper-parameter"
    assert found[0]["share"] > 0.05


@pytest.mark.watched
def test_the_rows_of_a_loss_are_those_of_the_model(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, WITH_LOSS, "tiny-steps")
    assert [item["line"] for item in found] == marked(WITH_LOSS, "tiny")
    assert "on 4 rows at a time" in found[0]["message"]


@pytest.mark.watched
@pytest.mark.parametrize(
    "program",
    [BATCHES, HEAVY, NUMBERS, ALL_THERE_IS, ONE_BY_ONE],
    ids=["batches", "heavy", "numbers", "all there is", "one by one"],
)
def test_steps_that_compute_or_have_no_other_rows_are_not(tmp_path: Path, program: str) -> None:
    assert diagnoses(tmp_path, program, "tiny-steps") == []
