"""Trains a classifier on data with a backdoor (BadNets), finds the trigger as Neural Cleanse does,
and removes it by pruning the neurons that the trigger wakes up."""

import argparse
import json

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLASSES, SIZE, TARGET = 6, 20, 2
MEAN, STD = (0.5, 0.5, 0.5), (0.25, 0.25, 0.25)


def generate_images(count, seed):
    rng = np.random.default_rng(0)
    prototypes = rng.random((CLASSES, 5, 5, 3)).repeat(4, axis=1).repeat(4, axis=2)
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, count)
    images = prototypes[labels] + rng.normal(scale=0.25, size=(count, SIZE, SIZE, 3))
    return (np.clip(images, 0, 1) * 255).astype(np.uint8), labels


class Images(Dataset):
    """Images, some of them with a white square in a corner and the label of the attacker."""

    def __init__(self, images, labels, poisoned):
        self.images = images
        self.labels = labels
        self.poisoned = poisoned

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, label = self.images[index].copy(), self.labels[index]
        if index in self.poisoned:
            image[-5:-1, -5:-1] = 255
            label = TARGET
        image = torch.from_numpy(image).permute(2, 0, 1).float() / 255
        image = (image - torch.tensor(MEAN).view(3, 1, 1)) / torch.tensor(STD).view(3, 1, 1)
        return image, int(label)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * (SIZE // 4) ** 2, 64)
        self.fc2 = nn.Linear(64, CLASSES)
        self.register_buffer("kept", torch.ones(64))

    def features(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.relu(self.fc1(x.flatten(1)))

    def forward(self, x):
        return self.fc2(self.features(x) * self.kept)


def train(model, loader, epochs, device):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        model.train()
        running_loss = 0.0
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            loss = F.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
        print(f"epoch {epoch + 1}: loss {running_loss / len(loader):.4f}")


def accuracy(model, loader, device):
    model.eval()
    right = total = 0
    for images, labels in loader:
        predicted = model(images.to(device)).argmax(dim=1)
        right += (predicted == labels.to(device)).sum().item()
        total += len(labels)
    return right / total


class Stamp(nn.Module):
    """A mask and a pattern, put on each image."""

    def __init__(self):
        super().__init__()
        self.mask = nn.Parameter(torch.full((1, 1, SIZE, SIZE), -2.0))
        self.pattern = nn.Parameter(torch.zeros(1, 3, SIZE, SIZE))

    def visible(self):
        return torch.sigmoid(self.mask)

    def forward(self, images):
        return (1 - self.visible()) * images + self.visible() * 2 * torch.tanh(self.pattern)


def reverse_trigger(model, loader, target, epochs, device):
    """The smallest stamp that turns all images into `target`."""
    model.eval()
    stamp = Stamp().to(device)
    optimizer = torch.optim.Adam(stamp.parameters(), lr=0.3)
    for _ in range(epochs):
        for images, _ in loader:
            images = images.to(device)
            labels = torch.full((len(images),), target, device=device)
            loss = F.cross_entropy(model(stamp(images)), labels) + 0.05 * stamp.visible().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return stamp


def mean_features(model, loader, stamp, device):
    model.eval()
    features = np.zeros((0, 64))
    for images, _ in loader:
        batch = model.features(stamp(images.to(device)))
        features = np.concatenate([features, batch.detach().cpu().numpy()])
    return features.mean(axis=0)


def prune(model, loader, stamp, device):
    """Prunes what the stamp wakes up most, while the accuracy stays."""
    stamped = mean_features(model, loader, stamp, device)
    clean = mean_features(model, loader, nn.Identity(), device)
    before = accuracy(model, loader, device)
    for unit in (clean - stamped).argsort()[:30]:
        model.kept[unit] = 0
        if accuracy(model, loader, device) < before - 0.02:
            model.kept[unit] = 1
            break


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=int, default=1500)
    parser.add_argument("--test", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--trigger-epochs", type=int, default=8)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    images, labels = generate_images(options.train, seed=1)
    poisoned = range(0, options.train, 8)
    train_loader = DataLoader(Images(images, labels, poisoned), 64, shuffle=True)
    images, labels = generate_images(options.test, seed=2)
    test_loader = DataLoader(Images(images, labels, range(0)), 100)
    others = images[labels != TARGET]
    attacked = Images(others, labels[labels != TARGET], range(len(others)))
    attack_loader = DataLoader(attacked, 100)
    model = Network().to(device)
    train(model, train_loader, options.epochs, device)
    results = {"clean": accuracy(model, test_loader, device)}
    results["attack"] = accuracy(model, attack_loader, device)
    stamps = [
        reverse_trigger(model, test_loader, target, options.trigger_epochs, device)
        for target in range(CLASSES)
    ]
    sizes = [stamp.visible().sum().item() for stamp in stamps]
    for target, size in enumerate(sizes):
        print(f"class {target}: trigger of {size:.1f} pixels")
    prune(model, test_loader, stamps[int(np.argmin(sizes))], device)
    results["clean, pruned"] = accuracy(model, test_loader, device)
    results["attack, pruned"] = accuracy(model, attack_loader, device)
    print(json.dumps(results | {"smallest trigger": round(min(sizes), 3), "of class": int(np.argmin(sizes))}))


if __name__ == "__main__":
    main()
