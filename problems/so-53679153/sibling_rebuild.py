"""An autoencoder of scans."""

from torch import nn


class Rebuilder(nn.Module):
    def __init__(self, side):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(16 * side * side, 512),  # finding
        )
        self.decode = nn.Sequential(nn.ReLU(), nn.Linear(512, side * side))
        self.side = side

    def forward(self, scans):
        return self.decode(self.encode(scans)).view(-1, 1, self.side, self.side)
