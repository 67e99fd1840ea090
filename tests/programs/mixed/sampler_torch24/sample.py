import argparse
import math

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, t):
        return x + self.net(x + t)


class Denoiser(nn.Module):
    def __init__(self, dim=256, depth=8):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.time = nn.Embedding(1000, dim)

    def forward(self, x, t):
        for block in self.blocks:
            x = block(x, self.time(t))
        return x


def compile_blocks(model):
    for i, block in enumerate(model.blocks):
        model.blocks[i] = torch.compile(block)
    return model


class Sampler:
    def __init__(self, model, steps):
        self.model, self.steps = compile_blocks(model), steps
        self.alphas = torch.cos(torch.linspace(0, math.pi / 2, steps)) ** 2

    def step(self, x, t):
        traced = torch.jit.trace(lambda e, a: e * a + (1 - a).sqrt(), (x, self.alphas[t]))  # finding: compiled-per-call
        eps = self.model(x, torch.full(x.shape[:1], t))
        return x - traced(eps, self.alphas[t])

    @torch.no_grad()
    def __call__(self, n):
        x = torch.randn(n, 256)
        for t in reversed(range(self.steps)):
            x = self.step(x, t)
        return x


def guidance(images, classifier):
    scripted = torch.jit.script(classifier)
    return [scripted(i[None]) for i in images]  # finding: predict-per-item


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=1000)
    a = p.parse_args()
    sampler = Sampler(Denoiser().eval(), a.steps)
    images = sampler(64)
    print(len(guidance(images, nn.Linear(256, 10))))


if __name__ == "__main__":
    main()
