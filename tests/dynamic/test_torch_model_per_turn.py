"""Weights and models that are made anew in each turn are told from those that have to be."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import os
import tempfile

import torch
from torch import load
from transformers.modeling_utils import PreTrainedModel


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = self.made(6)

    def made(self, count):
        return torch.nn.Sequential(*[torch.nn.Linear(32, 32) for _ in range(count)])

    def forward(self, rows):
        return self.layers(rows)


def trained(net, steps, optimizer=None):
    optimizer = optimizer or torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(steps):
        loss = (net(torch.rand(4, 32)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "net.pt")
    for epoch in range(6):
        trained(Net(), 2)
        torch.save(Net().state_dict(), path)
        best = load(path)
    for request in range(6):
        weights = load(path)  # loaded
    for number in range(6):
        torch.save(torch.ones(3), os.path.join(folder, f"{number}.pt"))
        load(os.path.join(folder, f"{number}.pt"))
for request in range(6):
    PreTrainedModel.from_pretrained("bert-tiny")  # pretrained
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(60):
    teacher = Net()  # built
    trained(net, 1, optimizer)
for fold in range(10):
    trained(Net(), 40)
"""

TRANSFORMERS = """\
import time


class PreTrainedModel:
    @classmethod
    def from_pretrained(cls, name):
        time.sleep(0.02)
        return cls()
"""


@pytest.mark.watched
def test_what_is_loaded_or_built_in_each_turn_is_found(tmp_path: Path) -> None:
    package = tmp_path / "transformers"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "modeling_utils.py").write_text(TRANSFORMERS, encoding="utf-8")
    found = diagnoses(tmp_path, PROGRAM, "torch-model-per-turn")
    told = {item["line"]: item["message"] for item in found}
    (loaded,), (pretrained,), (built,) = (
        marked(PROGRAM, mark) for mark in ("loaded", "pretrained", "built")
    )
    assert told == {
        loaded: "`net.pt` is loaded repeatedly",
        pretrained: "`bert-tiny` is loaded repeatedly",
        built: "a model is built repeatedly while another trains",
    }


REQUESTS = """\
import torch


class Ranker(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(20000, 64)
        self.score = torch.nn.Linear(64, 1)

    def forward(self, items):
        return self.score(self.table(items)).squeeze(-1)


class Service:
    def __init__(self, weights):
        self.weights = weights

    def answer(self, items):
        ranker = Ranker()  # dropped
        ranker.load_state_dict(self.weights)
        with torch.inference_mode():
            return ranker(items).argsort()


service = Service(Ranker().state_dict())
for _ in range(40):
    service.answer(torch.randint(20000, (30,)))
ensemble = [Ranker() for _ in range(12)]
layers = []
for _ in range(12):
    layers.append(torch.nn.Linear(1000, 1000))
deep = torch.nn.Sequential(*layers)
"""


@pytest.mark.watched
def test_models_built_for_each_request_are_told_from_those_that_are_kept(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, REQUESTS, "torch-model-per-turn")
    assert [item["line"] for item in found] == marked(REQUESTS, "dropped")


IN_MEMORY = """\
import io

import torch


def kept(width):
    stream = io.BytesIO()
    torch.save(torch.nn.Linear(600, width), stream)
    return stream.getvalue()


blobs = [kept(2000), kept(2001)]
for request in range(20):
    head = torch.load(io.BytesIO(blobs[request % 2]), weights_only=False)  # loaded
for width in range(10, 16):
    torch.load(io.BytesIO(kept(width)), weights_only=False)
"""


def test_weights_that_are_loaded_from_memory_again_and_again_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, IN_MEMORY, "torch-model-per-turn")
    assert [item["line"] for item in found] == marked(IN_MEMORY, "loaded")
    assert found[0]["message"] == "`BytesIO of 4.8 MB` is loaded repeatedly"
