"""Parts of models that are run again on the same tensor are told, and so are the rows of an inner
loop; what differs from call to call, or was put together, is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import marked, needs, report_on, told_by

from deepperf.dynamic.program.turns import takes_item_of_inmost

needs("torch")

PROGRAM = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 64))

    def forward(self, text):
        return self.read(text).amax(1)


class Matcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.reader = Reader()
        self.other = Reader()

    def forward(self, wanted, offered):
        asked = self.reader(wanted)  # again
        given = self.other(offered)
        return (asked * given).sum(-1)

    def matched(self, asked, offered):
        return (asked * self.other(offered)).sum(-1)


@torch.no_grad()
def best_of(model, wanted, lists):
    last = torch.zeros(1, 8, 256)
    for offers in lists:
        scores = []
        for offer in offers:
            scores.append(model(wanted, offer + 0.1 * last))  # inner
        last = 0.5 * last + offers[int(torch.cat(scores).argmax())]
    return last


@torch.no_grad()
def best_of_batches(model, wanted, lists):
    last = torch.zeros(1, 8, 256)
    asked = model.reader(wanted)
    for offers in lists:
        scores = model.matched(asked, torch.cat(offers) + 0.1 * last)
        last = 0.5 * last + offers[int(scores.argmax())]
    return last


torch.manual_seed(0)
model = Matcher().eval()
lists = [[torch.randn(1, 8, 256) for _ in range(4)] for _ in range(120)]
wanted = torch.randn(1, 300, 256)
print(best_of(model, wanted, lists).sum(), best_of_batches(model, wanted, lists).sum())
"""


def test_a_part_that_is_asked_again_and_rows_of_an_inner_loop_are_told(tmp_path: Path) -> None:
    report = report_on(tmp_path, PROGRAM)
    assert report["run"]["problems"] == []
    (again,) = told_by(report, "repeated-call")
    assert [again["line"]] == marked(PROGRAM, "again")
    assert again["message"].startswith("`Reader` is run again on the same tensor")
    assert again["share"] > 0.1
    (inner,) = told_by(report, "torch-forwards")
    assert [inner["line"]] == marked(PROGRAM, "inner")
    assert (inner["rule"], inner["weight"]) == ("predict-per-item", "hint")


ALONE = [
    "for x in xs:\n  for s in sizes:\n    y = model(x, s)\n  x0 = y\n",
    "for x in xs:\n  for s in sizes:\n    y = model(x0, s)\n  x0 = y\n",
]
TOGETHER = [
    "for x in xs:\n  for s in sizes:\n    x0 = model(x0, s)\n",
    "for x in xs:\n  for s in sizes:\n    y = model(x)\n",
    "for x in xs:\n  for s in sizes:\n    y = model(x, s)\n    if y > 0:\n      break\n",
    "for x in xs:\n  while s:\n    y = model(x, s)\n",
]


@pytest.mark.parametrize("text", ALONE)
def test_iterations_of_an_inner_loop_may_stand_for_themselves(tmp_path: Path, text: str) -> None:
    assert takes_item_of_inmost(written(tmp_path, text), 3)


@pytest.mark.parametrize("text", TOGETHER)
def test_iterations_that_need_each_other_or_end_early_do_not(tmp_path: Path, text: str) -> None:
    assert not takes_item_of_inmost(written(tmp_path, text), 3)


def written(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return str(path)
