"""Scores candidate molecules: atoms are compared with a learned template."""

import torch
from sibling_matching import TemplateMatch
from torch import nn


class Scorer(nn.Module):
    def __init__(self, atoms, width):
        super().__init__()
        self.embed = nn.Linear(5, width)
        self.match = TemplateMatch(atoms, width)
        self.out = nn.Linear(atoms, 1)

    def forward(self, molecules):
        return self.out(self.match(self.embed(molecules)))


def main():
    torch.manual_seed(57)
    molecules = torch.rand(256, 18, 5)
    affinity = molecules.sum(dim=(1, 2))[:, None]
    scorer = Scorer(atoms=7, width=16)
    optimizer = torch.optim.Adam(scorer.parameters(), lr=1e-2)
    loss = torch.tensor(0.0)
    for batch, target in zip(molecules.split(64), affinity.split(64)):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(scorer(batch), target)
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    print(main())
