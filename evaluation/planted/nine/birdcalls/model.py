import torch
from torch import nn


class ConvFront(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1),
            nn.GroupNorm(4, channels),
            nn.GELU(),
            nn.MaxPool2d((4, 1)),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.GELU(),
            nn.MaxPool2d((4, 1)),
        )

    def forward(self, x):
        return self.net(x)


class Recurrent(nn.Module):
    """GRU over the frames; returns every hidden state, batch first."""

    def __init__(self, n_in, hidden):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(n_in, hidden)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], self.hidden)
        states = []
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
            states.append(h)
        return torch.stack(states, dim=1)


class CallNet(nn.Module):
    def __init__(self, n_mels, channels, hidden, n_classes):
        super().__init__()
        self.front = ConvFront(channels)
        self.rnn = Recurrent(channels * (n_mels // 16), hidden)
        self.score = nn.Linear(hidden, 1)
        self.head = nn.Sequential(nn.Linear(hidden, 512), nn.GELU(), nn.Linear(512, 256), nn.GELU(), nn.Linear(256, n_classes))

    def forward(self, x):
        z = self.front(x)
        z = z.flatten(1, 2).transpose(1, 2)
        states = self.rnn(z)
        attention = torch.softmax(self.score(states), dim=1)
        return self.head((attention * states).sum(dim=1))
