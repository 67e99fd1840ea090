"""Cells are classified by a small PyTorch network."""

import torch
from sibling_cells import PatchBatches
from torch import nn


def main():
    torch.manual_seed(0)
    patches = torch.randint(0, 256, (512, 1, 16, 16), dtype=torch.uint8)
    labels = (patches.float().mean(dim=(1, 2, 3)) > 127.5).long()
    network = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 2)
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    total = 0.0
    for images, kinds in PatchBatches(patches, labels, 64):
        loss = nn.functional.cross_entropy(network(images), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


if __name__ == "__main__":
    print(main())
