"""An optimizer made for each step is told; one for each fold, or for other weights, is not."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs, report_on, told_by

needs("torch")

HEAD = """\
import torch

rows = torch.rand(512, 24)
wanted = rows.sum(1, keepdim=True)
layers = [torch.nn.Linear(24, 24) for _ in range(10)]
net = torch.nn.Sequential(*layers, torch.nn.Linear(24, 1))


def learn(net, optimizer, picked):
    loss = ((net(rows[picked]) - wanted[picked]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


"""

BAD = (
    HEAD
    + """\
for turn in range(200):
    fresh = torch.optim.AdamW(net.parameters(), lr=1e-3)  # anew
    learn(net, fresh, torch.randint(512, (16,)))
"""
)

GOOD = (
    HEAD
    + """\
kept = torch.optim.AdamW(net.parameters(), lr=1e-3)
for turn in range(200):
    learn(net, kept, torch.randint(512, (16,)))
for fold in range(20):
    one = torch.nn.Linear(24, 1)
    own = torch.optim.SGD(one.parameters(), lr=0.1, momentum=0.9)
    for turn in range(5):
        learn(one, own, torch.randint(512, (16,)))
each = [torch.optim.Adam(layer.parameters()) for layer in layers * 2]
"""
)


def test_an_optimizer_for_each_step_is_told(tmp_path: Path) -> None:
    report = report_on(tmp_path, BAD)
    assert report["run"]["problems"] == []
    told = told_by(report, "optimizer-per-step")
    assert [item["line"] for item in told] == marked(BAD, "anew")
    assert report["run"]["steps"] == {"optimizer steps": 200}


def test_optimizers_that_step_often_or_of_other_weights_are_not(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, GOOD, "optimizer-per-step") == []
