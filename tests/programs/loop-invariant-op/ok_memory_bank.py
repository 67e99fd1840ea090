# requires: torch==2.0
"""Instance discrimination with a memory bank; everything in the loops changes from turn to turn."""
import argparse
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Projector(nn.Module):
    def __init__(self, widths=(512, 256, 128)):
        super().__init__()
        blocks = []
        for a, b in zip(widths, widths[1:]):
            blocks += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU()]
        self.net = nn.Sequential(*blocks)
        self.log_scale = nn.Parameter(torch.tensor(math.log(10.0)))
        self.anchors = nn.Parameter(torch.randn(1000, widths[-1]))

    def forward(self, x):
        z = F.normalize(self.net(x), dim=-1)
        anchors = F.normalize(self.anchors, dim=-1)
        return z, self.log_scale.exp() * z @ anchors.t()


class Bank:
    def __init__(self, rows, dim, momentum=0.5):
        self.table = F.normalize(torch.randn(rows, dim), dim=-1)
        self.momentum = momentum

    def centre(self):
        return self.table.mean(dim=0)

    def update(self, idx, z):
        mixed = self.momentum * self.table[idx] + (1 - self.momentum) * z
        self.table[idx] = F.normalize(mixed, dim=-1)


class Indexed(datasets.CIFAR10):
    def __getitem__(self, i):
        x, y = super().__getitem__(i)
        return x, y, i


def ema(target, online, decay=0.99):
    with torch.no_grad():
        for t, o in zip(target.parameters(), online.parameters()):
            t.mul_(decay).add_(o, alpha=1 - decay)


def drift(target):
    return torch.stack([p.norm() for p in target.parameters()]).sum()


def train(encoder, projector, bank, loader, epochs, lr):
    target = copy.deepcopy(projector)
    params = list(encoder.parameters()) + list(projector.parameters())
    optimizer = torch.optim.SGD(params, lr=lr, momentum=0.9)
    total = epochs * len(loader)
    step = 0
    queue = torch.zeros(4096, 128)
    for epoch in range(epochs):
        order = torch.randperm(len(bank.table))
        print("first of this epoch", order[:3].tolist())
        for x, _, idx in loader:
            for group in optimizer.param_groups:
                group["lr"] = 0.5 * lr * (1 + math.cos(math.pi * step / total))
            z, logits = projector(encoder(x))
            centre = bank.centre()
            negatives = F.normalize(queue, dim=-1)
            noise = torch.randn(z.shape)
            loss = F.cross_entropy(logits, idx % 1000)
            loss = loss + (z @ negatives.t()).logsumexp(dim=1).mean()
            loss = loss - 0.1 * (z + 0.01 * noise - centre).pow(2).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bank.update(idx, z.detach())
            queue = torch.cat([z.detach(), queue[: len(queue) - len(z)]])
            ema(target, projector)
            step += 1
        print(epoch, loss.item(), drift(target).item())


@torch.no_grad()
def report(encoder, projector, loader):
    """Once, after the training."""
    scale = projector.log_scale.exp()
    correct = torch.zeros(())
    for x, _, idx in loader:
        _, logits = projector(encoder(x))
        correct += (logits.argmax(dim=1) == idx % 1000).sum()
    print(float(correct) / len(loader.dataset), float(scale))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default="data")
    ap.add_argument("--epochs", type=int, default=100)
    ap.add_argument("--lr", type=float, default=0.03)
    args = ap.parse_args()
    ds = Indexed(args.data, transform=transforms.ToTensor(), download=True)
    loader = DataLoader(ds, batch_size=256, shuffle=True, num_workers=4)
    encoder = nn.Sequential(nn.Flatten(), nn.Linear(3072, 512), nn.ReLU())
    projector = Projector()
    bank = Bank(len(ds), 128)
    train(encoder, projector, bank, loader, args.epochs, args.lr)
    report(encoder, projector, loader)
