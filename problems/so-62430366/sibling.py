"""Trains a span scorer that looks at a few marked words of each sentence."""

import torch
from torch import nn


class SpanScorer(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.score = nn.Linear(width, 1)

    def marked(self, states, marks):
        chosen = [state[mark] for state, mark in zip(states, marks)]  # finding
        return torch.stack(chosen)

    def forward(self, sentences, marks):
        states = torch.tanh(self.embedding(sentences))
        return self.score(self.marked(states, marks)).squeeze(-1)


def main():
    torch.manual_seed(4)
    sentences = torch.randint(0, 300, (64, 30))
    marks = torch.randint(0, 30, (64, 5))
    targets = torch.randint(0, 5, (64,))
    scorer = SpanScorer(300, 24)
    optimizer = torch.optim.SGD(scorer.parameters(), lr=0.5)
    for _ in range(5):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(scorer(sentences, marks), targets)
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    print(main())
