"""Spectra of stars are restored by a PyTorch network that is trained with a loss for shapes."""

import torch
from sibling_losses import ShapeLoss
from torch import nn


class Restorer:
    def __init__(self, width):
        self.network = nn.Sequential(nn.Linear(width, 48), nn.Tanh(), nn.Linear(48, width))
        self.criterion = ShapeLoss()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)

    def epoch(self, noisy, clean, size):
        for first in range(0, len(noisy), size):
            rows = slice(first, first + size)
            loss = self.criterion(self.network(noisy[rows]), clean[rows])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


def main():
    torch.manual_seed(11)
    clean = torch.cumsum(torch.randn(256, 40), dim=1)
    noisy = clean + torch.randn_like(clean)
    restorer = Restorer(40)
    return [restorer.epoch(noisy, clean, 64) for _ in range(2)]


if __name__ == "__main__":
    print(main())
