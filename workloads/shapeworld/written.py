"""Generates images of shapes and captions that may or may not agree with them, as ShapeWorld does,
trains a model on both, and tells how often it is right for each type of caption."""

import argparse
import json
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIZE = 24
COLORS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0)}
SHAPES = ("square", "circle", "triangle")
NUMBERS = ("zero", "one", "two", "three", "four")
TYPES = ("existential", "relational", "counting", "quantifier")
WORDS = ["<pad>", "there", "is", "are", "a", "exactly", "all", "to", "the", "left", "right", "of"]
WORDS += ["shapes", *NUMBERS, *COLORS, *SHAPES]
LONGEST = 12


def contains(shape, cx, cy, r, x, y):
    if shape == "square":
        return abs(x - cx) <= r and abs(y - cy) <= r
    if shape == "circle":
        return (x - cx) ** 2 + (y - cy) ** 2 <= r * r
    return -r <= y - cy <= r and abs(x - cx) <= (y - cy + r) / 2


def draw_scene(rng):
    """One shape in each of some quarters of the image, so that none hides another."""
    quarters = rng.sample([(6, 6), (18, 6), (6, 18), (18, 18)], rng.randint(1, 4))
    return [
        (rng.choice(SHAPES), rng.choice(list(COLORS)), x + rng.randint(-1, 1), y, rng.randint(3, 5))
        for x, y in quarters
    ]


def render(scene):
    image = np.zeros((3, SIZE, SIZE), dtype=np.float32)
    for shape, color, cx, cy, r in scene:
        for y in range(SIZE):
            for x in range(SIZE):
                if contains(shape, cx, cy, r, x, y):
                    image[:, y, x] = COLORS[color]
    return image


def caption(scene, kind, rng):
    """A caption of this kind, and whether it is true of the scene."""
    color, shape = rng.choice(list(COLORS)), rng.choice(SHAPES)
    if rng.random() < 0.5:
        shape, color, *_ = rng.choice(scene)
    matching = [s for s in scene if s[0] == shape and s[1] == color]
    if kind == "existential":
        return f"there is a {color} {shape}", bool(matching)
    if kind == "counting":
        count = sum(s[1] == color for s in scene)
        told = count if rng.random() < 0.5 else rng.choice([n for n in range(5) if n != count])
        return f"there are exactly {NUMBERS[told]} {color} shapes", told == count
    if kind == "quantifier":
        return f"all {shape} shapes are {color}", all(s[1] == color for s in scene if s[0] == shape)
    other, other_color, *_ = rng.choice(scene)
    side = rng.choice(("left", "right"))
    others = [s for s in scene if s[0] == other and s[1] == other_color]
    sign = 1 if side == "left" else -1
    agrees = any(sign * (b[2] - a[2]) > 4 for a in matching for b in others)
    return f"a {color} {shape} is to the {side} of a {other_color} {other}", agrees


def encode(text):
    indices = [WORDS.index(word) for word in text.split()]
    return indices + [0] * (LONGEST - len(indices)), len(indices)


class ShapeWorld(Dataset):
    """Every second caption is true; a world is made when it is asked for."""

    def __init__(self, size, seed):
        self.size = size
        self.seed = seed

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        rng = random.Random(1_000_003 * self.seed + index)
        kind = TYPES[index % len(TYPES)]
        wanted = rng.random() < 0.5
        while True:
            scene = draw_scene(rng)
            text, agrees = caption(scene, kind, rng)
            if agrees == wanted:
                break
        words, length = encode(text)
        return torch.tensor(render(scene)), torch.tensor(words), length, float(agrees)


class CaptionEncoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.embedding = nn.Embedding(len(WORDS), width, padding_idx=0)
        self.lstm = nn.LSTMCell(width, width)

    def forward(self, words, lengths):
        embedded = self.embedding(words)
        h = torch.zeros(len(words), self.width, device=words.device)
        c = torch.zeros(len(words), self.width, device=words.device)
        outputs = []
        for t in range(words.shape[1]):
            h, c = self.lstm(embedded[:, t], (h, c))
            outputs.append(h)
        outputs = torch.stack(outputs, dim=1)
        return outputs[torch.arange(len(words)), lengths - 1]


class Agreement(nn.Module):
    """A convolutional network and an LSTM, joined by a product, as in the FiLM baselines."""

    def __init__(self, width=48):
        super().__init__()
        self.image = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * (SIZE // 4) ** 2, width),
        )
        self.caption = CaptionEncoder(width)
        self.head = nn.Sequential(nn.Linear(3 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, images, words, lengths):
        seen = self.image(images)
        read = self.caption(words, lengths)
        return self.head(torch.cat([seen, read, seen * read], dim=1)).squeeze(1)


def train(model, loader, epochs, device):
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        total_loss = 0
        for images, words, lengths, agrees in loader:
            images, words, lengths = images.to(device), words.to(device), lengths.to(device)
            optimizer.zero_grad()
            loss = criterion(model(images, words, lengths), agrees.float().to(device))
            loss.backward()
            optimizer.step()
            total_loss += loss
        print(f"epoch {epoch + 1}: loss {total_loss / len(loader):.4f}")
    return (total_loss / len(loader)).item()


def accuracy_by_type(model, dataset, device):
    model.eval()
    accuracy = {}
    for kind in TYPES:
        right = total = 0
        for index in range(len(dataset)):
            image, words, length, agrees = dataset[index]
            if TYPES[index % len(TYPES)] != kind:
                continue
            length = torch.tensor([length], device=device)
            logit = model(image.unsqueeze(0).to(device), words.unsqueeze(0).to(device), length)
            right += int((logit.item() > 0) == bool(agrees))
            total += 1
        accuracy[kind] = right / total
    return accuracy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=int, default=1600)
    parser.add_argument("--test", type=int, default=240)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    loader = DataLoader(ShapeWorld(options.train, seed=1), options.batch_size, shuffle=True)
    model = Agreement().to(device)
    loss = train(model, loader, options.epochs, device)
    accuracy = accuracy_by_type(model, ShapeWorld(options.test, seed=2), device)
    for kind, value in accuracy.items():
        print(f"{kind}: {value:.3f}")
    print(json.dumps({"loss": round(loss, 4)} | accuracy))


if __name__ == "__main__":
    main()
