"""Trains and scores a segmentation network; prototypes of the classes come from a support set."""

import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from data import Tiles


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU())
        self.head = nn.Conv2d(64, classes, 1)
        self.drop = nn.Dropout(0.1)

    def embed_pixels(self, images):
        return self.stem(images)

    def forward(self, images):
        return self.head(self.drop(self.embed_pixels(images)))


def coordinates(height, width, device):
    ys = torch.linspace(-1, 1, height, device=device)
    xs = torch.linspace(-1, 1, width, device=device)
    return torch.stack(torch.meshgrid(ys, xs, indexing="ij"))


def train_epoch(net, loader, optimizer, device):
    net.train()
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        loss = F.cross_entropy(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def validate(net, support, masks, loader, device):
    net.eval()
    hits = total = 0
    for images, labels in loader:
        features = net.embed_pixels(support)  # note: loop-invariant-op
        prototypes = torch.einsum("nchw,nkhw->kc", features, masks)  # note: loop-invariant-op
        scores = torch.einsum("nchw,kc->nkhw", net.embed_pixels(images.to(device)), prototypes)
        hits += (scores.argmax(1).cpu() == labels).sum().item()
        total += labels.numel()
    net.train()
    return hits / total


@torch.no_grad()
def validate_noisy(net, support, loader, device, rounds=10):
    """Dropout is left on: each round differs."""
    net.train()
    votes = []
    for _ in range(rounds):
        for images, _ in loader:
            anchor = net(support)
            votes.append((net(images.to(device)) - anchor.mean()).cpu())
    return torch.stack(votes).mean(0)


@torch.no_grad()
def centred(net, loader, device, size=512):
    net.eval()
    out = []
    for images, _ in loader:
        grid = coordinates(size, size, device)
        weights = net(images.to(device)).softmax(1)
        out.append(torch.einsum("nkhw,dhw->nkd", weights, grid))
    return torch.cat(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--epochs", type=int, default=50)
    args = parser.parse_args()
    device = torch.device("cuda")
    net = Net(19).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    train = DataLoader(Tiles(args.root, "train"), batch_size=8, num_workers=8)
    test = DataLoader(Tiles(args.root, "val"), batch_size=8, num_workers=8)
    support, masks = Tiles(args.root, "support").whole()
    support, masks = support.to(device), masks.to(device)
    for _ in range(args.epochs):
        train_epoch(net, train, optimizer, device)
        print(validate(net, support, masks, test, device))


if __name__ == "__main__":
    main()
