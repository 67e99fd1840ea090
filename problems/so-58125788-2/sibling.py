"""Dust is removed from scanned film by a small PyTorch network that keeps the resolution."""

import torch
from torch import nn

EDGE = 256


def convolution(incoming, outgoing):
    return nn.Sequential(
        nn.Conv2d(incoming, outgoing, kernel_size=3, padding=1), nn.ReLU(inplace=True)
    )


class FilmCleaner(nn.Module):
    def __init__(self):
        super().__init__()
        self.grow = nn.Conv2d(1, 384, kernel_size=3, padding=1)  # finding
        self.shrink = nn.Conv2d(384, 8, kernel_size=1)
        self.last = convolution(8, 1)

    def forward(self, film):
        return film + self.last(self.shrink(torch.relu(self.grow(film))))


def main():
    torch.manual_seed(4)
    cleaner = FilmCleaner()
    clean = torch.rand(1, 1, EDGE, EDGE)
    dusty = clean * (torch.rand_like(clean) > 0.01)
    loss = nn.functional.l1_loss(cleaner(dusty), clean)
    loss.backward()
    return loss.item()


if __name__ == "__main__":
    print(main())
