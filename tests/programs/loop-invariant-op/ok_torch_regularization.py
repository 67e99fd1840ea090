import torch
from torch import nn


def train(net, batches, penalty):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    history = []
    for features, target in batches:
        loss = nn.functional.mse_loss(net(features), target)
        loss = loss + penalty * torch.norm(net.head.weight)
        loss = loss + penalty * sum(torch.abs(p).sum() for p in net.parameters())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return history


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, width)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(torch.relu(self.body(x))).squeeze(-1)
