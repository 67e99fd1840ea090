"""Activity recognition from a wrist IMU (fixed windows of 128 samples, 6 channels)."""
import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ACTIVITIES = ["walk", "upstairs", "downstairs", "sit", "stand", "lie"]


class ImuWindows(Dataset):
    def __init__(self, folder, split, stats=None):
        x = np.load(Path(folder) / f"{split}_x.npy").astype(np.float32)  # [n, 6, 128]
        y = np.load(Path(folder) / f"{split}_y.npy")
        if stats is None:
            stats = x.mean(axis=(0, 2), keepdims=True), x.std(axis=(0, 2), keepdims=True) + 1e-6
        self.stats = stats
        self.x = torch.from_numpy((x - stats[0]) / stats[1])
        self.y = torch.from_numpy(y).long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


class GaitNet(nn.Module):
    def __init__(self, channels=6, hidden=64):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv1d(channels, hidden, 5, padding=2), nn.GroupNorm(8, hidden), nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(hidden, hidden, 5, padding=2), nn.GroupNorm(8, hidden), nn.ReLU(),
        )
        self.gru = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, len(ACTIVITIES))

    def forward(self, x):
        states, _ = self.gru(self.stem(x).transpose(1, 2))
        return self.head(states.mean(dim=1))


def train_epoch(model, loader, optimizer, device):
    model.train()
    total = torch.zeros((), device=device)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total.item() / len(loader)


@torch.inference_mode()
def confusion(model, loader, device):
    model.eval()
    k = len(ACTIVITIES)
    table = torch.zeros(k * k, device=device)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        cell = y * k + model(x).argmax(dim=1)
        table += torch.bincount(cell, minlength=k * k)
    return table.view(k, k).cpu()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--lr", type=float, default=5e-4)
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pin = device.type == "cuda"
    train_set = ImuWindows(args.folder, "train")
    test_set = ImuWindows(args.folder, "test", stats=train_set.stats)
    train_loader = DataLoader(train_set, shuffle=True, pin_memory=pin)
    test_loader = DataLoader(test_set, batch_size=512, pin_memory=pin)

    model = GaitNet().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        loss = train_epoch(model, train_loader, optimizer, device)
        table = confusion(model, test_loader, device)
        recall = (table.diag() / table.sum(dim=1).clamp(min=1)).tolist()
        print(f"{epoch:3d} loss {loss:.4f} " + " ".join(f"{a}={r:.3f}" for a, r in zip(ACTIVITIES, recall)))
    torch.save(model.state_dict(), "gait.pt")


if __name__ == "__main__":
    main()
