"""Prototypical networks on leaf scans (Snell et al.), with plain torch 1.x code."""
import argparse
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision import datasets, transforms


def conv_block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))


class Encoder(nn.Module):
    def __init__(self, hid=64):
        super().__init__()
        self.body = nn.Sequential(conv_block(3, hid), conv_block(hid, hid), conv_block(hid, hid), conv_block(hid, hid))

    def forward(self, x):
        return self.body(x).flatten(1)


class Episodes:
    def __init__(self, root, way, shot, query):
        t = transforms.Compose([transforms.Resize((84, 84)), transforms.ToTensor()])
        self.data = datasets.ImageFolder(root, t)
        self.by_class = {}
        for i, (_, c) in enumerate(self.data.samples):
            self.by_class.setdefault(c, []).append(i)
        self.way, self.shot, self.query = way, shot, query

    def draw(self):
        support, query = [], []
        for c in random.sample(sorted(self.by_class), self.way):
            picks = random.sample(self.by_class[c], self.shot + self.query)
            images = torch.stack([self.data[i][0] for i in picks])
            support.append(images[: self.shot])
            query.append(images[self.shot:])
        return torch.cat(support), torch.cat(query)


def prototypes(encoder, support, way):
    z = encoder(support)
    return z.view(way, -1, z.size(-1)).mean(1)


def logits(encoder, query, protos):
    return -torch.cdist(encoder(query), protos) ** 2


def adapt(encoder, support, way, steps, lr):
    """A few steps on the support set alone; the prototypes move with the weights."""
    opt = torch.optim.SGD(encoder.parameters(), lr)
    labels = torch.arange(way, device=support.device).repeat_interleave(len(support) // way)
    for _ in range(steps):
        protos = prototypes(encoder, support, way)
        noisy = support + 0.05 * torch.randn_like(support)
        loss = F.cross_entropy(logits(encoder, noisy, protos), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("--way", type=int, default=5)
    p.add_argument("--shot", type=int, default=5)
    p.add_argument("--query", type=int, default=15)
    p.add_argument("--episodes", type=int, default=40000)
    a = p.parse_args()
    dev = "cuda"
    train = Episodes(os.path.join(a.root, "train"), a.way, a.shot, a.query)
    test = Episodes(os.path.join(a.root, "test"), a.way, a.shot, a.query)
    encoder = Encoder().to(dev)
    opt = torch.optim.Adam(encoder.parameters(), 1e-3)
    target = torch.arange(a.way, device=dev).repeat_interleave(a.query)
    for e in range(a.episodes):
        support, query = (t.to(dev) for t in train.draw())
        protos = prototypes(encoder, support, a.way)
        loss = F.cross_entropy(logits(encoder, query, protos), target)
        opt.zero_grad()
        loss.backward()
        opt.step()

    start = {k: v.clone() for k, v in encoder.state_dict().items()}
    right = 0.0
    for _ in range(600):
        encoder.load_state_dict(start)
        support, query = (t.to(dev) for t in test.draw())
        adapt(encoder, support, a.way, 20, 1e-3)
        encoder.eval()
        with torch.no_grad():
            protos = prototypes(encoder, support, a.way)
            right += (logits(encoder, query, protos).argmax(1) == target).float().mean().item()
        encoder.train()
    print("accuracy", right / 600)


if __name__ == "__main__":
    main()
