import functools

import torch
from torch import nn


def frozen(model, example):
    model.eval()
    return torch.jit.freeze(torch.jit.trace(model, example))  # finding: compiled-per-call


@functools.lru_cache(maxsize=None)
def scripted(path):
    return torch.jit.script(torch.load(path, weights_only=False))


class Deployed:
    def __init__(self, model):
        self.model = model
        self._fast = None

    def fast(self, example):
        if self._fast is None:
            self._fast = torch.jit.trace(self.model, example)
        return self._fast(example)

    def slow(self, example):
        return frozen(self.model, example)(example)


def small_net(width):
    return nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 2))
