#!/usr/bin/env python
"""Per-class AUROC of an arrhythmia classifier on held-out Holter recordings."""
import argparse
import json

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLASSES = ["normal", "afib", "pvc", "pac", "block"]


class HolterWindows(Dataset):
    """Ten-second windows of 2 leads at 250 Hz, memory-mapped."""

    def __init__(self, signals, labels):
        self.signals = np.load(signals, mmap_mode="r")
        self.labels = np.load(labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = torch.from_numpy(np.array(self.signals[i], dtype=np.float32))
        return x, int(self.labels[i])


class ECGNet(nn.Module):
    def __init__(self, n_leads=2, n_classes=len(CLASSES)):
        super().__init__()
        layers, c = [], n_leads
        for width in (32, 64, 128, 128):
            layers += [nn.Conv1d(c, width, 7, stride=3, padding=3, bias=False),
                       nn.BatchNorm1d(width), nn.ReLU()]
            c = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(c, n_classes)

    def forward(self, x):
        return self.head(self.body(x).mean(-1))


@torch.inference_mode()
def collect_scores(model, loader, device):
    model.eval()
    scores = torch.empty(0, len(CLASSES), device=device)
    targets = torch.empty(0, dtype=torch.long)
    for signals, labels in loader:
        probs = model(signals.to(device, non_blocking=True)).softmax(dim=-1)
        scores = torch.cat([scores, probs], dim=0)
        targets = torch.cat([targets, labels], dim=0)
    return scores.cpu(), targets


def auroc(score, positive):
    """Rank-sum estimate; ties are rare with float scores."""
    ranks = torch.empty_like(score, dtype=torch.float64)
    ranks[score.argsort()] = torch.arange(1, len(score) + 1, dtype=torch.float64)
    n_pos = positive.sum()
    n_neg = len(positive) - n_pos
    u = ranks[positive].sum() - n_pos * (n_pos + 1) / 2
    return float(u / (n_pos * n_neg))


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("signals", help=".npy, [n, 2, 2500]")
    ap.add_argument("labels", help=".npy, [n]")
    ap.add_argument("checkpoint")
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--workers", type=int, default=8)
    args = ap.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ECGNet()
    model.load_state_dict(torch.load(args.checkpoint, map_location="cpu", weights_only=True))
    loader = DataLoader(HolterWindows(args.signals, args.labels), batch_size=args.batch_size,
                        num_workers=args.workers, pin_memory=device.type == "cuda")

    scores, targets = collect_scores(model.to(device), loader, device)
    report = {name: auroc(scores[:, k], targets == k) for k, name in enumerate(CLASSES)}
    report["accuracy"] = float((scores.argmax(1) == targets).float().mean())
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
