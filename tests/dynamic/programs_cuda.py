"""Programs that train on a CUDA device where there is one; `benchmarks/cuda_recordings.py` records
them on one, and tests tell of the recordings again."""

from __future__ import annotations

HEAD = """\
import time

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SCALE = 8 if DEVICE == "cuda" else 1
torch.manual_seed(0)


def layers(width, depth):
    body = [part for _ in range(depth) for part in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(*body, nn.Linear(width, 1)).to(DEVICE)


def steps(seconds=7.0):
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end:
        yield number
        number += 1
    print("steps", number > 20)


"""
READS = (
    HEAD
    + """\
net = layers(256, 24)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
inputs = torch.randn(128, 256, device=DEVICE)
for _ in steps():
    loss = net(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    total = 0.0
    for parameter in net.parameters():
        total += parameter.grad.norm().item() ** 2  # read
    optimizer.step()
"""
)
PAGED = (
    HEAD
    + """\
net = layers(512, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
rows = torch.randn(4096 * SCALE, 512)
for _ in steps():
    inputs = rows.to(DEVICE)  # copied
    loss = net(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
)
STARVED = (
    HEAD
    + """\
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        waves = np.random.default_rng(index).normal(size=(64, 256))
        return np.abs(np.fft.fft(waves)).mean(0).astype("float32")  # prepared


net = layers(256, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
loader = DataLoader(Signals(), batch_size=32)
batches = iter(loader)
for _ in steps():
    inputs = next(batches, None)  # awaited
    if inputs is None:
        batches = iter(loader)
        continue
    loss = net(inputs.to(DEVICE)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
)
RAGGED = (
    HEAD
    + """\
net = layers(256, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for number in steps():
    # No block that was freed is large enough for the next batch, which is longer than all before.
    inputs = torch.randn(2048 * SCALE + min(number, 60) * 1024 * SCALE, 256, device=DEVICE)
    loss = net(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # reserved
"""
)
MASKED = (
    HEAD
    + """\
net = layers(256, 8)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
inputs = torch.randn(512, 256, device=DEVICE)
for _ in steps():
    out = inputs
    for layer in net:
        out = layer(out)
        out = out[out.isfinite().all(1)]  # masked
    loss = out.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
)
CLEAN = (
    HEAD
    + """\
torch.set_float32_matmul_precision("high")
net = layers(256 * SCALE, 6)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
inputs = torch.randn(512 * SCALE, 256 * SCALE, device=DEVICE)
for number in steps():
    loss = net(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if number % 20 == 0:
        loss.item()
"""
)
PROGRAMS = {
    "reads": READS,
    "paged": PAGED,
    "starved": STARVED,
    "ragged": RAGGED,
    "masked": MASKED,
    "clean": CLEAN,
}
