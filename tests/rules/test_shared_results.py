"""A variable stands for a second run of a model only where both results are used alike."""

from __future__ import annotations

import pytest

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety

PROGRAM = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


def compare(loader):
    model = Net().eval()
    for x in loader:
        first = model(x)
        second = model(x)
        print(first.sum(), second.mean())
"""


def mended(text: str) -> str:
    options = Options(select=("forward-twice",), level=Level.NOTE)
    return fix_text(text, lambda now: check_text(now, options).findings, Safety.UNSAFE).text


def test_a_variable_that_nothing_writes_to_stands_for_the_second_run() -> None:
    assert mended(PROGRAM) == PROGRAM.replace("second = model(x)", "second = first")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        print(", "        second.mul_(2)\n        print("),
        ("        print(", "        second += 1\n        print("),
        ("        print(", "        first[0] = 0\n        print("),
        (
            "        first = model(x)\n",
            "        with torch.no_grad():\n            first = model(x)\n",
        ),
    ],
)
def test_what_is_written_to_or_has_no_gradients_stands_for_itself_alone(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new)
    assert mended(text) == text
