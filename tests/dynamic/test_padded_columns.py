"""Sequences that are padded far beyond the longest of their batch are told, whichever way they came
to be; those that are padded to it, packed or full are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import torch
from torch import nn

LONGEST = 96


class Baskets(nn.Module):
    def __init__(self):
        super().__init__()
        self.goods = nn.Embedding(500, 48)
        self.mixed = nn.Sequential(nn.Linear(48, 192), nn.ReLU(), nn.Linear(192, 48))
        self.bought = nn.Linear(48, 2)

    def forward(self, goods):
        return self.bought(self.mixed(self.goods(goods)).amax(1))


class Walks(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.GRU(6, 16, batch_first=True)
        self.kind = nn.Linear(16, 2)

    def forward(self, walks):
        return self.kind(self.steps(walks)[0].mean(1))


def baskets(count, length):
    found = torch.zeros(count, length, dtype=torch.long)
    for row in range(count):
        many = int(torch.randint(10, 30, ()))
        found[row, -many:] = torch.randint(1, 500, (many,))
    return found


def walks(count, length):
    found = torch.zeros(count, length, 6)
    for row in range(count):
        many = int(torch.randint(10, 30, ()))
        found[row, :many] = torch.randn(many, 6)
    return found


def train(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for batch in batches:
        loss = model(batch).square().mean()  # trained
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def judged(model, batches):
    return sum(model(batch).sum() for batch in batches)  # judged


@torch.no_grad()
def judged_short(model, batches):
    return sum(model(batch).sum() for batch in batches)


torch.manual_seed(0)
train(Baskets(), [baskets(32, LONGEST) for _ in range(24)] * 3)
long, short = [[walks(32, length) for _ in range(24)] for length in (LONGEST, 30)]
model = Walks().eval()
print(judged(model, long * 3), judged_short(model, short * 3))
full = [torch.randint(1, 500, (32, LONGEST)) for _ in range(24)]
print(judged_short(Baskets().eval(), full * 3))
"""


# Each by itself: what comes late in a run of a few seconds may find its budget spent.
TRAINED = "train(Baskets(), [baskets(32, LONGEST) for _ in range(24)] * 3)\n"
JUDGED = "print(judged(model, long * 3), judged_short(model, short * 3))\n"


@pytest.mark.parametrize(("place", "other"), [("trained", JUDGED), ("judged", TRAINED)])
def test_columns_that_no_row_reaches_are_told_by_their_values(
    tmp_path: Path, place: str, other: str
) -> None:
    found = diagnoses(tmp_path, PROGRAM.replace(other, ""), "padded-columns")
    lines = [item["line"] for item in found]
    assert lines == marked(PROGRAM, place)
    assert {item["rule"] for item in found} == {"padding-to-maximum"}
    assert all("have 96 positions in a row" in item["evidence"] for item in found)


def test_what_is_packed_before_it_is_computed_is_not_told(tmp_path: Path) -> None:
    packed = (
        "        packed = nn.utils.rnn.pack_padded_sequence(walks, [walks.shape[1]] * 32, True)\n"
    )
    program = PROGRAM.replace(
        "        return self.kind(self.steps(walks)[0].mean(1))",
        f"{packed}        return self.kind(self.steps(packed)[1][0])",
    )
    assert diagnoses(tmp_path, program, "padded-columns") == []


def test_a_training_without_steps_is_told_too(tmp_path: Path) -> None:
    program = PROGRAM.replace("optimizer = torch.optim.SGD(model.parameters(), lr=0.01)", "")
    program = program.replace("optimizer.zero_grad()", "").replace("optimizer.step()", "")
    found = diagnoses(tmp_path, program, "padded-columns")
    assert set(marked(program, "trained")) <= {item["line"] for item in found}


def test_only_what_an_embedding_takes_is_taken_for_tokens() -> None:
    import torch

    from deepperf.dynamic.frameworks.torch_padding import columns_reached

    tokens = torch.zeros(4, 40, dtype=torch.long)
    tokens[:, :10] = torch.arange(1, 11)
    assert columns_reached(tokens) == columns_reached(tokens.int()) == 10
    for kind in (torch.uint8, torch.bool, torch.cfloat, torch.float):
        assert columns_reached(tokens.to(kind)) is None
