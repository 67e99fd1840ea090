"""Semi-supervised training (FixMatch style) of a defect classifier for printed circuit boards.

    python boards.py --labelled labelled.txt --unlabelled unlabelled.txt --classes 6

Text files: one image path a line, for the labelled ones followed by a tab and the class.
"""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset


def read_gray(path, size):
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("L").resize((size, size)), dtype=np.float32)
    return torch.from_numpy(pixels / 127.5 - 1.0).unsqueeze(0)


def weak(image):
    return image.flip(-1) if torch.rand(()) < 0.5 else image


def strong(image):
    image = weak(image) * torch.empty(()).uniform_(0.5, 1.5) + torch.empty(()).uniform_(-0.3, 0.3)
    side = image.shape[-1] // 3
    y, x = torch.randint(0, image.shape[-1] - side, (2,)).tolist()
    image[:, y:y + side, x:x + side] = 0.0
    return image


class Labelled(Dataset):
    def __init__(self, listing, size):
        self.size = size
        with open(listing, encoding="utf-8") as fh:
            self.items = [line.rstrip("\n").split("\t") for line in fh if line.strip()]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        path, label = self.items[i]
        return weak(read_gray(path, self.size)), int(label)


class Unlabelled(Dataset):
    def __init__(self, listing, size):
        self.size = size
        with open(listing, encoding="utf-8") as fh:
            self.paths = [line.strip() for line in fh if line.strip()]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        image = read_gray(self.paths[i], self.size)
        return weak(image), strong(image)


def endless(loader):
    while True:
        yield from loader


def network(classes, width=64):
    layers, cin = [], 1
    for cout in (width, width * 2, width * 4):
        layers += [nn.Conv2d(cin, cout, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(cout), nn.LeakyReLU(0.1)]
        cin = cout
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(cin, classes))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--labelled", required=True)
    ap.add_argument("--unlabelled", required=True)
    ap.add_argument("--classes", type=int, default=6)
    ap.add_argument("--size", type=int, default=128)
    ap.add_argument("--steps", type=int, default=20_000)
    ap.add_argument("--workers", type=int, default=4)
    args = ap.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    common = dict(shuffle=True, drop_last=True, num_workers=args.workers, pin_memory=device.type == "cuda")
    common["persistent_workers"] = args.workers > 0
    labelled = DataLoader(Labelled(args.labelled, args.size), batch_size=32, **common)
    unlabelled = DataLoader(Unlabelled(args.unlabelled, args.size), batch_size=224, **common)

    model = network(args.classes).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)

    labelled_batches, unlabelled_batches = endless(labelled), endless(unlabelled)
    model.train()
    for step in range(args.steps):
        images, targets = next(labelled_batches)
        easy, hard = next(unlabelled_batches)
        parts = (images, targets, easy, hard)
        images, targets, easy, hard = (part.to(device, non_blocking=True) for part in parts)
        logits = model(torch.cat([images, easy, hard]))
        known, easy_logits, hard_logits = logits.split([len(images), len(easy), len(hard)])
        confidence, guess = easy_logits.detach().softmax(dim=1).max(dim=1)
        sure = (confidence >= 0.95).float()
        loss = F.cross_entropy(known, targets)
        loss = loss + (F.cross_entropy(hard_logits, guess, reduction="none") * sure).mean()

        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 200 == 0:
            print(f"{step}  loss {loss.item():.4f}  used {sure.mean().item():.1%}", flush=True)
    torch.save(model.state_dict(), "boards.pt")


if __name__ == "__main__":
    main()
