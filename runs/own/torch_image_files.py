"""Trains on image files and a table of points, as PyTorch's tutorial on data loading does."""

import csv
import pathlib

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

ROOT = pathlib.Path("faces")


def write_faces():
    ROOT.mkdir(exist_ok=True)
    generator = np.random.default_rng(0)
    with open(ROOT / "points.csv", "w", newline="") as file:
        table = csv.writer(file)
        for number in range(400):
            image = generator.integers(0, 90, (260, 240, 3), dtype=np.uint8)
            points = generator.integers(20, 220, (4, 2))
            for row, column in points:
                image[row - 5 : row + 5, column - 5 : column + 5] = 255
            Image.fromarray(image).save(ROOT / f"{number}.jpg")
            table.writerow([f"{number}.jpg", *points.ravel()])


class Faces(Dataset):
    def __init__(self, table, root, transform):
        with open(table, newline="") as file:
            self.rows = list(csv.reader(file))
        self.root = root
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        name, *points = self.rows[index]
        image = np.asarray(Image.open(self.root / name))
        sample = {"image": image, "points": np.array(points, dtype=float).reshape(-1, 2)}
        return self.transform(sample)


def rescaled(sample, size=120):
    rows, columns = sample["image"].shape[:2]
    image = np.asarray(Image.fromarray(sample["image"]).resize((size, size)))
    return {"image": image, "points": sample["points"] * [size / rows, size / columns]}


def cropped(sample, size=112):
    top, left = np.random.randint(0, sample["image"].shape[0] - size, 2)
    image = sample["image"][top : top + size, left : left + size]
    return {"image": image, "points": sample["points"] - [top, left]}


def as_tensors(sample):
    image = torch.from_numpy(sample["image"].transpose((2, 0, 1)).copy()).float() / 255
    return {"image": image, "points": torch.from_numpy(sample["points"]).float()}


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 5, stride=2)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2)
        self.out = nn.Linear(16 * 6 * 6, 8)

    def forward(self, images):
        maps = functional.relu(self.conv2(functional.relu(self.conv1(images))))
        return self.out(torch.flatten(functional.adaptive_avg_pool2d(maps, 6), 1)).view(-1, 4, 2)


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    write_faces()
    faces = Faces(ROOT / "points.csv", ROOT, lambda sample: as_tensors(cropped(rescaled(sample))))
    loader = DataLoader(faces, batch_size=4, shuffle=True, num_workers=0)
    model = Network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0001, momentum=0.9)
    for epoch in range(10):
        total = 0.0
        for batch in loader:
            optimizer.zero_grad()
            loss = functional.mse_loss(model(batch["image"]), batch["points"])
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.2f}")


if __name__ == "__main__":
    main()
