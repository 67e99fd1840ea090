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
    print(total)


main()
"""


def test_logits_of_all_positions_are_told_where_one_is_used(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, PROGRAM, "unused-positions")
    assert [found["line"]] == marked(PROGRAM, "unused")
    assert found["weight"] == "time"
    assert "8,000 numbers for each of 32 positions" in found["evidence"]
