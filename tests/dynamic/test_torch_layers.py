"""PyTorch layers that hold or cost far more than those of known networks are told where made."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import lines_of, marked, needs, report_on, told_by

needs("torch")

BAD = """\
import copy
import io

import torch
from torch import nn


class Pitch(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(2, 128, 5, padding=2)  # wide
        self.pool = nn.MaxPool2d(4)
        self.second = nn.Conv2d(128, 16, kernel_size=15, padding="same")  # kernel
        self.dense = nn.Linear(16 * 56 * 56, 128)  # dense
        self.answer = nn.Linear(128, 3)

    def forward(self, sounds):
        maps = torch.relu(self.second(self.pool(torch.relu(self.first(sounds)))))
        return self.answer(torch.relu(self.dense(maps.reshape(len(maps), -1))))


torch.manual_seed(3)
model = Pitch()
copy.deepcopy(model)
torch.save(model, io.BytesIO())
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    loss = model(torch.rand(2, 2, 224, 224)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(len(model.first._forward_hooks))
"""

GOOD = """\
import torch
from torch import nn

net = nn.Sequential(
    nn.Conv2d(3, 48, 11, stride=4),
    nn.ReLU(),
    nn.Conv2d(48, 48, 13, padding=6, groups=48),
    nn.AdaptiveAvgPool2d(6),
    nn.Flatten(),
    nn.Linear(48 * 36, 2600),
    nn.ReLU(),
    nn.Linear(2600, 1800),
    nn.ReLU(),
    nn.Linear(1800, 10),
)
words = nn.Sequential(nn.EmbeddingBag(500, 64), nn.Linear(64, 70000))
compiled = torch.compile(nn.Sequential(nn.Flatten(), nn.Linear(64 * 64 * 3, 400)), backend="eager")
for _ in range(3):
    net(torch.rand(4, 3, 128, 128)).sum().backward()
    words(torch.randint(500, (4, 8))).sum().backward()
    compiled(torch.rand(2, 3, 64, 64)).sum().backward()
print(dict(torch._dynamo.utils.counters["graph_break"]))
"""


@pytest.mark.watched
def test_layers_that_stand_out_are_told(tmp_path: Path) -> None:
    report = report_on(tmp_path, BAD)
    assert report["run"]["problems"] == []
    found = told_by(report, "torch-layers")
    assert lines_of(found, "wide-early-conv") == marked(BAD, "wide")
    assert lines_of(found, "oversized-kernel") == marked(BAD, "kernel")
    assert lines_of(found, "oversized-dense") == marked(BAD, "dense")


@pytest.mark.watched
def test_usual_layers_are_not(tmp_path: Path) -> None:
    report = report_on(tmp_path, GOOD)
    assert report["run"]["problems"] == []
    assert told_by(report, "torch-layers") == []
