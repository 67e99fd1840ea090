"""Variables that keep the history of steps are told from numbers, and from what starts again."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import torch
from torch.utils.data import DataLoader, TensorDataset


def made():
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    return net, torch.optim.SGD(net.parameters(), lr=0.01)


def step(net, optimizer):
    loss = (net(torch.rand(8, 4)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def summed(steps):
    net, optimizer = made()
    total = 0.0
    for _ in range(steps):
        loss = (net(torch.rand(8, 4)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss  # summed
    return float(total)


class Training:
    def __init__(self):
        self.net, self.optimizer = made()
        self.losses = []
        self.numbers = []

    def run(self, steps):
        for _ in range(steps):
            loss = step(self.net, self.optimizer)
            self.losses.append(loss)  # listed
            self.numbers.append(loss.detach())


def by_name(steps):
    net, optimizer = made()
    seen = {"loss": [], "number": []}
    for _ in range(steps):
        loss = step(net, optimizer)
        seen["loss"].append(loss)  # named
        seen["number"].append(loss.item())


class Log:
    def __init__(self):
        self.seen = {"loss": [], "number": []}

    def update(self, name, value):
        self.seen[name].append(value)  # logged


class Logging:
    def __init__(self):
        self.net, self.optimizer = made()
        self.log = Log()

    def run(self, steps):
        for _ in range(steps):
            loss = step(self.net, self.optimizer)
            self.log.update("loss", loss)
            self.log.update("number", loss.item())


def carried(steps):
    cell = torch.nn.RNNCell(4, 8)
    head = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
    state = torch.zeros(1, 8)
    for _ in range(steps):
        state = cell(torch.rand(1, 4), state)  # carried
        loss = head(state).sum()
        loss.backward(retain_graph=True)
        optimizer.step()


def judged(loader, net):
    outputs = []
    for (rows,) in loader:
        outputs.append(net(rows))  # outputs
    return torch.cat(outputs)


def clean(steps):
    net, optimizer = made()
    cell = torch.nn.RNNCell(4, 8)
    prior = torch.nn.Linear(4, 1)(torch.rand(8, 4)).mean()
    state = torch.zeros(1, 8)
    total, losses, parts = 0.0, [], []
    both = (state, prior)
    for number in range(steps):
        state = cell(torch.rand(1, 4), state.detach())
        both = (both[0].detach(), state + prior)
        part = (net(torch.rand(8, 4)) ** 2).mean() + prior + state.sum()
        parts.append(part)
        if number % 4 == 3:
            loss = torch.stack(parts).mean()
            parts = []
            optimizer.zero_grad()
            loss.backward(retain_graph=True)
            optimizer.step()
            total += loss.item()
            losses.append(loss.detach())


summed(40)
Training().run(320)
by_name(320)
Logging().run(320)
carried(320)
judged(DataLoader(TensorDataset(torch.rand(160, 4)), batch_size=4), made()[0])
clean(480)
"""


def test_what_keeps_the_history_of_steps_is_found_where_it_is_added(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "autograd-history")
    told = {item["line"]: item for item in found}
    marks = ("summed", "listed", "named", "logged", "carried", "outputs")
    assert sorted(told) == sorted(line for mark in marks for line in marked(PROGRAM, mark))
    (listed,) = marked(PROGRAM, "listed")
    assert told[listed]["message"] == "`self.losses` keeps the autograd graph of every step"
    assert {item["cause"] for item in found} == {"graph-confusion"}


MEASURED = """\
import torch


class Mean:
    def __init__(self):
        self.total, self.rounded = 0.0, 0.0

    def update(self, value):
        self.total += value  # summed
        self.rounded += round(value.item(), 3)


def measured(net, rows):
    net.eval()
    mean = Mean()
    for batch in rows:
        mean.update((net(batch) ** 2).mean())
    return mean


net = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
print(measured(net, torch.rand(400, 32, 64)).rounded)


def by_hand(cell, rows):
    state = torch.zeros(1, 8)
    for row in rows:
        for _ in range(6):
            state = cell(row, state)  # carried
        state.sum().backward(retain_graph=True)
        for weight in cell.parameters():
            weight.data -= 0.1 * weight.grad
            weight.grad = None


by_hand(torch.nn.GRUCell(4, 8), torch.rand(60, 1, 4))

# What plays better and better gathers more for each step, and forgets it.
net.train()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
played = []
for episode in range(40):
    for _ in range(16 + episode):
        played.append((net(torch.rand(1, 64)) ** 2).mean())
    optimizer.zero_grad()
    torch.stack(played).mean().backward()
    optimizer.step()
    del played[:]
net.train()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(6):
    gathered = 0.0
    for batch in torch.rand(40, 32, 64):
        gathered = gathered + (net(batch) ** 2).mean()
    optimizer.zero_grad()
    gathered.backward()
    optimizer.step()
"""


def test_what_an_object_keeps_of_an_evaluation_is_found_in_its_class(tmp_path: Path) -> None:
    kept, found = sorted(
        diagnoses(tmp_path, MEASURED, "autograd-history"), key=lambda item: -item["line"]
    )
    # Weights that the program changes by itself are trained as well.
    assert [kept["line"]] == marked(MEASURED, "carried")
    assert [found["line"]] == marked(MEASURED, "summed")
    assert found["message"] == "`mean.total` keeps the autograd graph of every step"
