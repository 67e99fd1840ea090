"""PyTorch models that answer what they have answered before, or are tested at each step."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import lines_of, marked, needs, report_on, told_by

from deepperf.dynamic.diagnosis import diagnose
from deepperf.dynamic.frameworks.torch_calls import ModuleCall
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.trace import Observation, Samples

needs("torch")

BEGINNING = """\
import torch
from torch import nn

torch.manual_seed(0)


def made():
    return nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 512), nn.Linear(512, 8))


def loss_of(net, rows):
    return nn.functional.mse_loss(net(rows), rows[:, :8])


@torch.no_grad()
def tested(net, rows):
    net.eval()
    losses = [loss_of(net, batch).item() for batch in rows.split(256)]
    net.train()
    return sum(losses) / len(losses)

"""

AGAIN = (
    BEGINNING
    + """
class Finder:
    def __init__(self, net, known):
        self.net, self.known = net.eval(), known

    @torch.inference_mode()
    def nearest(self, asked):
        keys = self.net(self.known)  # repeated
        return (self.net(asked) @ keys.T).argmax().item()


finder = Finder(made(), torch.rand(2048, 128))
for asked in torch.rand(60, 1, 128):
    finder.nearest(asked)

frozen, batches = made().eval(), torch.rand(20, 512, 128)
for epoch in range(8):
    for batch in batches:
        with torch.no_grad():
            features = frozen(batch)  # repeated


class Probe(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body, self.head = body.requires_grad_(False), nn.Linear(8, 8)

    def forward(self, rows):
        return self.head(self.body(rows))  # samples


def probed(net, rows, noise):
    optimizer = torch.optim.SGD(net.head.parameters(), lr=0.01)
    for epoch in range(60):
        for index in torch.randperm(len(rows)).split(256):
            loss = loss_of(net, rows[index] + noise * torch.rand(len(index), 128))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


probed(Probe(made()), torch.rand(2560, 128), 0.0)
"""
)

EVALUATED = (
    BEGINNING
    + """
net = made()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
rows = torch.rand(2560, 128)
best = 9.0
for batch in torch.rand(60, 32, 128):
    loss = loss_of(net, batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    best = min(best, tested(net, rows))  # tested
"""
)

ORDINARY = (
    BEGINNING
    + """
net, teacher = made(), made().eval()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
rows, held = torch.rand(2560, 128), torch.rand(1280, 128)
for epoch in range(6):
    for index in torch.randperm(len(rows)).split(256):
        with torch.no_grad():
            given = rows[index] + 0.01 * torch.randn(len(index), 128)
            wanted = teacher(given)
        loss = nn.functional.mse_loss(net(given), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tested(net, held)

# A step that sees all data is an epoch, after which it may be tested.
net = made()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(60):
    loss = loss_of(net, held)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    tested(net, rows)

# What plays is asked about something else at each step.
player, state = made(), torch.zeros(1, 128)
optimizer = torch.optim.SGD(player.parameters(), lr=0.01)
for turn in range(200):
    with torch.no_grad():
        state = 0.9 * state + player(state).mean() + torch.rand(1, 128)
    loss = loss_of(player, torch.rand(64, 128))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
)

# Who walks through a small world comes to the same places again, and learns of them as it goes.
SMALL_WORLD = (
    BEGINNING
    + """
import random

random.seed(0)
places, policy = torch.eye(8, 128), made().eval()


def chosen(place):
    with torch.no_grad():
        return policy(places[place].unsqueeze(0)).argmax(1).item()


for walk in range(100):
    place = 0
    for _ in range(20):
        action = chosen(place)
        place = (place + random.choice((1, action))) % 8
"""
)


def test_answers_that_were_known_are_found(tmp_path: Path) -> None:
    report = report_on(tmp_path, AGAIN)
    assert report["run"]["problems"] == []
    samples = lines_of(told_by(report, "repeated-samples"), "loop-invariant-op")
    repeated = lines_of(told_by(report, "repeated-call"), "loop-invariant-op")
    assert sorted(repeated + samples) == sorted(
        marked(AGAIN, "repeated") + marked(AGAIN, "samples")
    )
    assert set(marked(AGAIN, "samples")) <= set(samples)


def test_an_evaluation_at_each_step_is_found(tmp_path: Path) -> None:
    report = report_on(tmp_path, EVALUATED)
    assert report["run"]["problems"] == []
    (evaluated,) = told_by(report, "step-evaluation")
    assert [evaluated["line"]] == marked(EVALUATED, "tested")


LOOP = """\
def train(net, batches, held):
    for number, batch in enumerate(batches):
        step(net, batch)
        if number % 20 == 0:
            accuracy(net, held)
"""


@pytest.mark.parametrize(
    ("looks", "stepping", "lines"), [(300, 3, [5]), (200, 3, []), (300, 5, [])]
)
def test_evaluations_now_and_then_matter_where_they_take_longer_than_training(
    tmp_path: Path, looks: int, stepping: int, lines: list[int]
) -> None:
    path = script(tmp_path, LOOP)
    file = str(path)
    ways = {"ways": [[[file, stepping]]], "by": "torch", "device": "cpu"}
    seen = {"often": 0, "seldom": 5, "ways": [[file, 5, "train"]]}
    trace = trace_of(
        path,
        samples=(Samples(file, 5, "train", looks, looks, 0),),
        sampled=500,
        observations=(
            Observation("step-chores", file, stepping, "train", count=8, detail=ways),
            Observation("step-evaluation steps", file, 5, "train", detail=seen),
        ),
    )
    found = [item for item in diagnose(trace) if item.signal == "step-evaluation"]
    assert [item.line for item in found] == lines


@pytest.mark.watched
def test_epochs_teachers_and_play_are_not(tmp_path: Path) -> None:
    report = report_on(tmp_path, ORDINARY)
    assert report["run"]["problems"] == []
    assert told_by(report, "repeated-call") + told_by(report, "step-evaluation") == []


@pytest.mark.watched
def test_places_that_a_walk_comes_to_again_are_not(tmp_path: Path) -> None:
    report = report_on(tmp_path, SMALL_WORLD)
    assert report["run"]["problems"] == []
    assert told_by(report, "repeated-call") == []


def test_what_vmap_hands_on_is_no_tensor_to_look_into() -> None:
    import torch

    module = torch.nn.Linear(2, 2)
    seen: list[bool] = []

    def asked(row: torch.Tensor) -> torch.Tensor:
        call = ModuleCall(torch, module, (row,), {}, row, (Place("a.py", 1, "f"),), 0.0)
        seen.append(call.is_tensor(row))
        assert call.asked() is None
        return module(row)

    torch.vmap(asked)(torch.ones(3, 2))
    asked_of_plain = ModuleCall(torch, module, (torch.ones(2),), {}, None, (), 0.0).asked()
    assert seen == [False]
    assert asked_of_plain is not None


def test_what_differs_in_one_place_is_not_the_same() -> None:
    import torch

    def asked(tensor: torch.Tensor) -> int | None:
        return ModuleCall(torch, torch.nn.Identity(), (tensor,), {}, None, (), 0.0).asked()

    for kind in (torch.float32, torch.bfloat16, torch.bool, torch.int64):
        empty = torch.zeros(2, 3, 40, 40, dtype=kind)
        marked = empty.clone()
        marked[1, 2, 7, 9] = 1
        assert asked(empty) == asked(empty.clone())
        assert asked(empty) != asked(marked)
    assert asked(torch.zeros(0, 3)) is not None
