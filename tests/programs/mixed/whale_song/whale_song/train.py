"""Trains the classifier: python -m whale_song.train ROOT"""

import argparse
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from .clips import load_all
from .features import LogMel, drop_bands, pitch_track


class Classifier(nn.Module):
    def __init__(self, species: int) -> None:
        super().__init__()
        self.front = LogMel()
        self.body = nn.Sequential(
            nn.Conv1d(64, 128, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(4),
            nn.Conv1d(128, 128, 5, padding=2),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
            nn.Linear(128, species),
        )

    def forward(self, waves):
        features = self.front(waves)
        if self.training:
            features = drop_bands(features, [4, 8])
        return self.body(features.transpose(1, 2))


def train(root: Path, epochs: int) -> Classifier:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(load_all(root), batch_size=32, shuffle=True)
    model = Classifier(species=12).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    loss_of = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        total = 0.0
        for waves, labels in loader:
            optimizer.zero_grad()
            loss = loss_of(model(waves.to(device)), labels.to(device))
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(epoch, total / len(loader))
        torch.save(model.state_dict(), root / f"epoch-{epoch}.pt")
    return model


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    model = train(options.root, options.epochs)
    waves, _ = load_all(options.root)[:1]
    power = model.front(waves.to(next(model.parameters()).device))[0]
    print(pitch_track(power.cpu(), 0.5))


if __name__ == "__main__":
    main()
