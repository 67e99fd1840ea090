"""Gestures in short clips are recognised by a PyTorch network with three-dimensional kernels."""

import torch
from sibling_layout import CLIP, HIDDEN, STAGES
from torch import nn


def stage(incoming, outgoing):
    return nn.Sequential(nn.Conv3d(incoming, outgoing, 3, padding=1), nn.ReLU())


class GestureNet(nn.Module):
    def __init__(self, gestures):
        super().__init__()
        self.stages = nn.Sequential(*(stage(*sizes) for sizes in STAGES))
        _, frames, height, width = CLIP
        self.hidden = nn.Linear(STAGES[-1][1] * frames * height * width, HIDDEN)  # finding
        self.answer = nn.Linear(HIDDEN, gestures)

    def forward(self, clips):
        maps = self.stages(clips).flatten(start_dim=1)
        return self.answer(torch.relu(self.hidden(maps)))


def main():
    torch.manual_seed(6)
    network = GestureNet(gestures=4)
    clips = torch.randn(1, *CLIP)
    with torch.no_grad():
        return network(clips).softmax(dim=1).sum().item()


if __name__ == "__main__":
    print(main())
