"""Looks for near-duplicates among product descriptions: a score for each pair."""

import torch
from torch import nn

PRODUCTS = 60


class Twins(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(2000, 64)
        self.tower = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 32))
        self.likeness = nn.Bilinear(32, 32, 1)

    def describe(self, tokens):
        return self.tower(self.words(tokens))

    def forward(self, first, second):
        return self.likeness(self.describe(first), self.describe(second)).squeeze(-1)


def duplicates(model, products):
    first, second = torch.combinations(torch.arange(len(products)), 2).T
    with torch.no_grad():
        scores = model(products[first], products[second])  # finding
    best = scores.argmax()
    return int(first[best]), int(second[best])


def main():
    torch.manual_seed(6)
    products = torch.randint(0, 2000, (PRODUCTS, 20))
    return duplicates(Twins().eval(), products)


if __name__ == "__main__":
    print(main())
