"""Logits of positions that nobody looks at are told from those of a loss or a perplexity."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import torch
from torch import nn


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8000, 32)
        self.head = nn.Linear(32, 8000)

    def forward(self, tokens):
        hidden = self.embed(tokens)
        return self.head(hidden)  # unused

    def whole(self, tokens):
        return self.head(self.embed(tokens))

    def both(self, tokens):
        return self.head(self.embed(tokens))

    def last(self, tokens):
        return self.head(self.embed(tokens)[:, -1])


@torch.inference_mode()
def main():
    words = Words().eval()
    tokens = torch.randint(8000, (4, 32))
    total = 0.0
    for _ in range(60):
        following = words(tokens)[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens[:, 1:], following], 1)
        total += words.whole(tokens).softmax(-1)[:, -1].max()
        total += words.last(tokens).max()
        logits = words.both(tokens)
        total += logits[:, -1].max()
        total += nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
    print(total)


main()
"""


def test_logits_of_all_positions_are_told_where_one_is_used(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, PROGRAM, "unused-positions")
    assert [found["line"]] == marked(PROGRAM, "unused")
    assert found["weight"] == "time"
    assert "8,000 numbers for each of 32 positions" in found["evidence"]


LOSSES = """\
import torch
from torch import nn
from torch.nn import functional


class Notes(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(900, 32)
        self.steps = nn.Linear(32, 32)
        self.pitch = nn.Linear(32, 900)

    def heard(self, notes):
        return torch.relu(self.steps(self.embed(notes)))


def hidden_of(notes, part):
    is_hidden = torch.rand(notes.shape) < part
    return notes.masked_fill(is_hidden, 0), notes.masked_fill(~is_hidden, 0)


def train(loss_of, part):
    torch.manual_seed(0)
    model = Notes()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(30):
        given, wanted = hidden_of(torch.randint(1, 900, (16, 64)), part)
        loss = loss_of(model, given, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


criterion = nn.CrossEntropyLoss(ignore_index=0)


def of_all(model, given, wanted):
    logits = model.pitch(model.heard(given))  # left out
    return criterion(logits.flatten(0, 1), wanted.flatten())


def of_most(model, given, wanted):
    logits = model.pitch(model.heard(given))
    return criterion(logits.flatten(0, 1), wanted.flatten())


def of_picked(model, given, wanted):
    logits = model.pitch(model.heard(given))  # left out
    return functional.cross_entropy(logits[wanted > 0], wanted[wanted > 0])


def of_few(model, given, wanted):
    logits = model.pitch(model.heard(given)[wanted > 0])
    return functional.cross_entropy(logits, wanted[wanted > 0])


def of_both(model, given, wanted):
    logits = model.pitch(model.heard(given))
    rare = functional.cross_entropy(logits[wanted > 450], wanted[wanted > 450])
    is_low = (wanted > 0) & (wanted < 450)
    return rare + functional.cross_entropy(logits[is_low], wanted[is_low]) + logits.mean()


print(train(of_all, 0.1), train(of_most, 0.9), train(of_picked, 0.1), train(of_few, 0.1))
print(train(of_both, 0.1))
"""


def test_logits_that_a_loss_leaves_out_are_told(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, LOSSES, "unused-positions")
    assert sorted(item["line"] for item in found) == marked(LOSSES, "left out")
    assert {item["weight"] for item in found} == {"time"}
    assert all("with 900 numbers for each" in item["evidence"] for item in found)
