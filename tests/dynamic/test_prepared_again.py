"""Samples that are prepared again and come out the same are told from those that chance changes,
and from those that are only picked."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


def tone(number):
    pitch = 0.05 + 0.001 * number
    return [math.sin(pitch * at) * math.exp(-0.01 * at) for at in range(800)]


class Tones(Dataset):
    def __len__(self):
        return 160

    def __getitem__(self, number):
        wave = torch.tensor(tone(number))  # again
        return wave, number % 2


class NoisyTones(Tones):
    def __getitem__(self, number):
        return torch.tensor(tone(number)) + 0.01 * torch.randn(800), number % 2


def train(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for waves, kinds in loader:
            loss = nn.functional.cross_entropy(model(waves), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def train_on_noisy(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for waves, kinds in loader:
            loss = nn.functional.cross_entropy(model(waves), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def train_on_kept(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for waves, kinds in loader:
            loss = nn.functional.cross_entropy(model(waves), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


torch.manual_seed(0)
train(nn.Linear(800, 2), DataLoader(Tones(), 16, shuffle=True), 5)
train_on_noisy(nn.Linear(800, 2), DataLoader(NoisyTones(), 16, shuffle=True), 5)
kept = TensorDataset(torch.stack([Tones()[n][0] for n in range(160)]), torch.arange(160) % 2)
train_on_kept(nn.Linear(800, 2), DataLoader(kept, 16, shuffle=True), 5)
"""


def test_samples_that_come_out_the_same_are_told(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, PROGRAM, "prepared-again")
    assert [found["line"]] == marked(PROGRAM, "again")
    assert "samples of `Tones`" in found["message"]
    assert found["weight"] == "time"
    assert "all 160 hold 0.5 MB" in found["evidence"]


def test_rows_are_compared_bit_by_bit_a_few_at_a_time() -> None:
    import torch

    from deepperf.dynamic.signals.prepared_again import _hashed

    rows = torch.randn(600, 40)
    again = rows.clone()
    again[7, 3] += 1
    for kind in (torch.float, torch.double, torch.bfloat16, torch.cfloat, torch.float8_e4m3fn):
        first, second = (_hashed(torch, one.to(kind)) or [] for one in (rows, again))
        differing = [
            n for n, pair in enumerate(zip(first, second, strict=True)) if len(set(pair)) > 1
        ]
        assert differing == [7]
