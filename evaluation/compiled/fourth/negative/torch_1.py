"""Shapes, flags, module lists and host reads that torch.compile takes in one graph, compiled once."""
import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class GaugeConfig:
    dim: int = 16
    depth: int = 3
    act: str = "gelu"
    verbose: bool = True


ACTS = {"gelu": nn.functional.gelu, "relu": torch.relu}


def flat(x):
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


class Gauge(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.scale = float(torch.tensor([0.5, 1.5]).mean())
        self.layers = nn.ModuleList(nn.Linear(cfg.dim, cfg.dim) for _ in range(cfg.depth))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def watch(self, x, name):
        if self.cfg.verbose and not torch.compiler.is_compiling():
            print(name, x.abs().max().item())

    def forward(self, x, mask=None):
        act = ACTS[self.cfg.act]
        x = flat(x) if x.dim() > 2 else x
        for number, layer in enumerate(self.layers):
            x = act(layer(x)) * self.scale
            self.watch(x, f"layer {number} of {len(self.layers)}")
        if mask is not None and mask.shape[0] == x.shape[0]:
            x = torch.where(mask[:, None], x, 0.0)
        self.seen.add_(1)
        return x.sum(-1)


def main():
    torch.manual_seed(0)
    model = torch.compile(Gauge(GaugeConfig()).eval(), fullgraph=True)
    total = 0.0
    with torch.no_grad():
        for step in range(6):
            out = model(torch.randn(8, 4, 4), torch.rand(8) > 0.5)
            total += out.mean().item()
            print(f"step {step}: {total:.3f}")
    return total


if __name__ == "__main__":
    main()
