"""Spectrograms of heart beats are told apart by a PyTorch network."""

import torch
from sibling_settings import BEAT_MAP, CHANNELS, LEADS, SPAN
from torch import nn


class BeatBlock(nn.Module):
    def __init__(self, incoming, outgoing, span=3):
        super().__init__()
        self.mix = nn.Conv2d(incoming, outgoing, kernel_size=span, padding=span // 2)
        self.norm = nn.BatchNorm2d(outgoing)

    def forward(self, maps):
        return torch.relu(self.norm(self.mix(maps)))


class BeatNet(nn.Module):
    def __init__(self, kinds=4):
        super().__init__()
        self.entry = BeatBlock(LEADS, CHANNELS[0])
        self.middle = nn.Conv2d(CHANNELS[0], CHANNELS[1], SPAN, padding=SPAN // 2)  # finding
        self.deep = nn.Conv2d(  # finding
            in_channels=CHANNELS[1],
            out_channels=CHANNELS[2],
            kernel_size=(13, 13),
            padding="same",
        )
        self.head = nn.Linear(CHANNELS[2], kinds)

    def forward(self, maps):
        maps = nn.functional.max_pool2d(self.entry(maps), 2)
        maps = nn.functional.max_pool2d(torch.relu(self.middle(maps)), 2)
        maps = torch.relu(self.deep(maps))
        return self.head(maps.mean(dim=(2, 3)))


def main():
    torch.manual_seed(5)
    beats = torch.randn(24, LEADS, BEAT_MAP, BEAT_MAP)
    kinds = torch.randint(0, 4, (24,))
    network = BeatNet()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    for start in range(0, len(beats), 8):
        loss = nn.functional.cross_entropy(
            network(beats[start : start + 8]), kinds[start : start + 8]
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return list(network(beats[:4]).shape)


if __name__ == "__main__":
    print(main())
