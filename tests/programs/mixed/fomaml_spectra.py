# requires: torch==2.2.0
"""First-order MAML for few-shot calibration of Raman spectrometers."""
import copy
import itertools
import random
from typing import Iterator, NamedTuple

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


class Task(NamedTuple):
    xs: torch.Tensor
    ys: torch.Tensor
    xq: torch.Tensor
    yq: torch.Tensor


class Instruments:
    def __init__(self, path, shots, device):
        z = np.load(path)
        self.x = torch.from_numpy(z["spectra"]).float().to(device)
        self.y = torch.from_numpy(z["conc"]).float().to(device)
        self.owner = z["instrument"]
        self.ids = sorted(set(self.owner.tolist()))
        self.shots = shots

    def sample(self) -> Iterator[Task]:
        while True:
            rows = np.flatnonzero(self.owner == random.choice(self.ids))
            rows = torch.from_numpy(np.random.permutation(rows)[: 4 * self.shots])
            s, q = rows[: self.shots], rows[self.shots:]
            yield Task(self.x[s], self.y[s], self.x[q], self.y[q])


class SpectraNet(nn.Module):
    def __init__(self, outs):
        super().__init__()
        stack, c = [], 1
        for w in (16, 32, 64, 64):
            stack += [nn.Conv1d(c, w, 7, 2, 3), nn.GroupNorm(4, w), nn.SiLU()]
            c = w
        self.body = nn.Sequential(*stack, nn.AdaptiveAvgPool1d(8), nn.Flatten())
        self.head = nn.Linear(512, outs)

    def forward(self, x):
        x = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5)
        return self.head(self.body(x[:, None]))


class Inner:
    steps = 5
    lr = 1e-2

    def __init__(self, meta):
        self.meta = meta

    def replica(self):
        return copy.deepcopy(self.meta)

    def adapt(self, task):
        fast = self.replica()
        sgd = torch.optim.SGD(fast.parameters(), self.lr)
        for _ in range(self.steps):
            sgd.zero_grad()
            F.mse_loss(fast(task.xs), task.ys).backward()
            sgd.step()
        sgd.zero_grad()
        return fast


class FusedInner(Inner):
    def replica(self):
        return torch.compile(super().replica(), mode="max-autotune")  # finding: compiled-per-call, buggy-version


def meta_step(inner, tasks, opt):
    opt.zero_grad()
    total = 0.0
    for task in tasks:
        fast = inner.adapt(task)
        loss = F.mse_loss(fast(task.xq), task.yq)
        loss.backward()
        for p, f in zip(inner.meta.parameters(), fast.parameters()):
            g = f.grad / len(tasks)
            p.grad = g.clone() if p.grad is None else p.grad + g
        total += loss.item()
    opt.step()
    return total / len(tasks)


INNER = {"plain": Inner, "fused": FusedInner}


def main(kind="fused", rounds=3000, width=4):
    dev = "cuda"
    data = Instruments("raman.npz", 8, dev)
    meta = SpectraNet(data.y.shape[1]).to(dev)
    inner = INNER[kind](meta)
    opt = torch.optim.Adam(meta.parameters(), 1e-3)
    stream = data.sample()
    for r in range(rounds):
        loss = meta_step(inner, list(itertools.islice(stream, width)), opt)
        if r % 100 == 0:
            print(r, loss)
    torch.save(meta.state_dict(), "meta.pt")


if __name__ == "__main__":
    main()
