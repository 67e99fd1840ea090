"""Who is this cow? Retrieval by embeddings of muzzles."""
import math
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
import torchvision
from torch import nn
from torch.utils.data import DataLoader
from torchvision import transforms


@dataclass
class Gallery:
    vectors: torch.Tensor
    names: list

    @property
    def unit(self):
        return F.normalize(self.vectors, dim=1)

    def covariance(self):
        centred = self.vectors - self.vectors.mean(0)
        return centred.T @ centred / (len(self.vectors) - 1)


class Embedder(nn.Module):
    def __init__(self, width=512):
        super().__init__()
        trunk = torchvision.models.resnet34(weights="DEFAULT")
        trunk.fc = nn.Identity()
        self.trunk = trunk
        self.head = nn.Linear(512, width)
        self.proxies = nn.Parameter(torch.randn(1_200, width))

    def forward(self, images):
        return self.head(self.trunk(images))

    def logits(self, images, scale=16.0):
        return scale * F.normalize(self(images), dim=1) @ F.normalize(self.proxies, dim=1).T


def set_of(folder, training):
    steps = [transforms.Resize((256, 256)), transforms.ToTensor()]
    if training:
        steps.insert(1, transforms.RandomHorizontalFlip())
    return torchvision.datasets.ImageFolder(folder, transforms.Compose(steps))


def train_epoch(model, loader, optimizer, device):
    model.train()
    for images, labels in loader:
        loss = F.cross_entropy(model.logits(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def embed(model, loader, device):
    model.eval()
    parts = [model(images.to(device)).cpu() for images, _ in loader]
    return torch.cat(parts)


@torch.no_grad()
def recall_at(gallery, loader, model, device, k=5):
    hits = total = 0
    for images, labels in loader:
        queries = F.normalize(model(images.to(device)), dim=1)
        scores = queries @ gallery.unit.to(device).T
        best = scores.topk(k, dim=1).indices.cpu()
        names = torch.tensor(gallery.names)
        hits += (names[best] == labels[:, None]).any(dim=1).sum().item()
        total += len(labels)
    return hits / total


def mahalanobis(gallery, queries):
    distances = []
    for chunk in queries.split(256):
        inverse = torch.linalg.inv(gallery.covariance())  # finding: loop-invariant-op
        gap = chunk[:, None] - gallery.vectors[None]
        distances.append(torch.einsum("qgi,ij,qgj->qg", gap, inverse, gap).sqrt())
    return torch.cat(distances)


def main(folder="cows", epochs=20):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Embedder().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    root = Path(folder)
    training = DataLoader(set_of(root / "train", True), 64, shuffle=True, num_workers=8)
    known = set_of(root / "gallery", False)
    queries = DataLoader(set_of(root / "query", False), 64, num_workers=8)
    best = -math.inf
    for epoch in range(epochs):
        train_epoch(model, training, optimizer, device)
        vectors = embed(model, DataLoader(known, 64, num_workers=8), device)
        gallery = Gallery(vectors, known.targets)
        recall = recall_at(gallery, queries, model, device)
        if recall > best:
            best = recall
            torch.save(model.state_dict(), "best.pt")
        print(epoch, recall)


if __name__ == "__main__":
    main()
