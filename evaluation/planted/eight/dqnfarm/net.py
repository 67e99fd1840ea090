import copy

import torch
from torch import nn

from env import ACTIONS, STACK


class QNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(STACK, width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width * 2, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(width * 2 * 36, 64),
            nn.ReLU(),
        )
        self.value = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
        self.edge = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, ACTIONS))

    def forward(self, x):
        h = self.body(x)
        edge = self.edge(h)
        return self.value(h) + edge - edge.mean(-1, keepdim=True)


class Target:
    def __init__(self, net, tau=0.02):
        self.tau = tau
        self.net = copy.deepcopy(net)

    @torch.no_grad()
    def follow(self, net):
        old, new = self.net.state_dict(), net.state_dict()
        self.net = copy.deepcopy(net)
        self.net.load_state_dict({k: (1 - self.tau) * old[k] + self.tau * new[k] for k in old})
