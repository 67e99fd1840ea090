"""Speakers are recognised by a PyTorch network from mel spectrograms."""

import torch
from sibling_shapes import EMBEDDING, FRAMES, MELS
from torch import nn


class SpeakerNet(nn.Module):
    def __init__(self, speakers):
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv2d(1, 8, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Conv2d(8, 16, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.embed = nn.Linear(16 * (MELS // 2) * (FRAMES // 2), EMBEDDING)  # finding
        self.decide = nn.Linear(EMBEDDING, speakers)

    def forward(self, spectrograms):
        maps = self.front(spectrograms)
        voice = torch.relu(self.embed(torch.flatten(maps, 1)))
        return self.decide(voice)


def main():
    torch.manual_seed(7)
    net = SpeakerNet(speakers=6)
    clips = torch.randn(2, 1, MELS, FRAMES)
    loss = nn.functional.cross_entropy(net(clips), torch.tensor([0, 3]))
    loss.backward()
    return loss.item()


if __name__ == "__main__":
    print(main())
