"""Similarity between all sketches of a collection, for a map of the collection."""

import torch
from torch import nn


class SketchEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(256, 32), nn.Tanh())

    def forward(self, sketches):
        return self.net(sketches)


def similarity(codes):
    count = len(codes)
    table = torch.zeros(count, count)
    for i in range(count):
        for j in range(count):
            table[i, j] = torch.dist(codes[i], codes[j])  # finding
    return table


def main():
    torch.manual_seed(58)
    sketches = torch.rand(40, 16, 16)
    with torch.no_grad():
        table = similarity(SketchEncoder()(sketches))
    return float(table.mean()), float(table.max())


if __name__ == "__main__":
    print(main())
