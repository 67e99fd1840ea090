"""Prototypical networks: few-shot episodes, and an evaluation with prototypes made once."""
import argparse
import random
from collections import defaultdict

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(), nn.MaxPool2d(2)
    )


class Encoder(nn.Module):
    def __init__(self, width=64, depth=4):
        super().__init__()
        blocks = [conv_block(1, width)]
        for _ in range(depth - 1):
            blocks.append(conv_block(width, width))
        self.net = nn.Sequential(*blocks)
        self.log_scale = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.net(x).flatten(1)


class Episodes:
    def __init__(self, dataset, ways, shots, queries, count):
        self.by_class = defaultdict(list)
        for image, label in dataset:
            self.by_class[label].append(image)
        self.ways, self.shots, self.queries, self.count = ways, shots, queries, count

    def __len__(self):
        return self.count

    def __iter__(self):
        for _ in range(self.count):
            classes = random.sample(sorted(self.by_class), self.ways)
            picks = [random.sample(self.by_class[c], self.shots + self.queries) for c in classes]
            yield torch.stack([torch.stack(p) for p in picks])


def logits_of(encoder, queries, prototypes):
    d = torch.cdist(encoder(queries), prototypes) ** 2
    return -d * encoder.log_scale.exp()


def train(encoder, episodes, device, lr):
    opt = torch.optim.Adam(encoder.parameters(), lr=lr)
    labels = torch.arange(episodes.ways, device=device).repeat_interleave(episodes.queries)
    for i, episode in enumerate(episodes):
        episode = episode.to(device)
        support, query = episode[:, : episodes.shots], episode[:, episodes.shots :]
        protos = encoder(support.flatten(0, 1)).view(episodes.ways, episodes.shots, -1).mean(1)
        loss = F.cross_entropy(logits_of(encoder, query.flatten(0, 1), protos), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 100 == 0:
            print(i, loss.item())


def fit_online(encoder, support, stream, device, lr=1e-4):
    """The encoder goes on learning, so the prototypes of the same support change each turn."""
    opt = torch.optim.SGD(encoder.parameters(), lr=lr)
    for x, y in stream:
        protos = torch.stack([encoder(s).mean(0) for s in support])
        loss = F.cross_entropy(logits_of(encoder, x.to(device), protos), y.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.no_grad()
def evaluate(encoder, support, loader, device):
    encoder.eval()
    protos = torch.stack([encoder(s.to(device)).mean(0) for s in support])
    hits = torch.zeros((), device=device)
    total = 0
    for x, y in loader:
        pred = logits_of(encoder, x.to(device), protos).argmax(1)
        hits += (pred == y.to(device)).sum()
        total += len(y)
    return (hits / total).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ways", type=int, default=20)
    parser.add_argument("--shots", type=int, default=5)
    parser.add_argument("--queries", type=int, default=5)
    parser.add_argument("--episodes", type=int, default=10000)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tf = transforms.Compose([transforms.Resize(28), transforms.ToTensor()])
    background = datasets.Omniglot("data", background=True, download=True, transform=tf)
    novel = datasets.Omniglot("data", background=False, download=True, transform=tf)
    encoder = Encoder().to(device)
    train(encoder, Episodes(background, args.ways, args.shots, args.queries, args.episodes), device, args.lr)

    support = defaultdict(list)
    for image, label in novel:
        if len(support[label]) < args.shots:
            support[label].append(image)
    support = [torch.stack(v).to(device) for _, v in sorted(support.items())]
    loader = DataLoader(novel, 256)
    fit_online(encoder, support, DataLoader(novel, 256, shuffle=True), device)
    print("accuracy", evaluate(encoder, support, loader, device))


if __name__ == "__main__":
    main()
