import copy
import json
import os

import numpy as np
import torch


class RunLog:
    def __init__(self, path):
        self.path = path
        self.rows = []

    def write(self, step, model, loss):
        row = {"step": step, "loss": loss}
        for name, p in model.named_parameters():
            if p.grad is not None:
                g = p.grad.detach().flatten()
                row[name] = {"norm": g.norm().item(), "mean": g.mean().item(),
                             "hist": np.histogram(g.numpy(), bins=30)[0].tolist()}
        self.rows.append(row)
        with open(self.path, "w") as f:
            json.dump(self.rows, f)


class Ema:
    def __init__(self, model, decay=0.99):
        self.model, self.decay = copy.deepcopy(model), decay

    def update(self, model):
        fresh = copy.deepcopy(model.state_dict())
        own = self.model.state_dict()
        for k, v in fresh.items():
            own[k] = own[k] * self.decay + v * (1 - self.decay) if v.is_floating_point() else v
        self.model.load_state_dict(own)


def save_checkpoint(path, step, model, ema, opt):
    state = {"step": step, "model": model.state_dict(),
             "ema": ema.model.state_dict(), "opt": opt.state_dict()}
    tmp = path + ".tmp"
    with open(tmp, "wb") as f:
        torch.save(state, f)
        f.flush()
        os.fsync(f.fileno())
    os.replace(tmp, path)


def confusion(pred, target, classes):
    m = torch.zeros(classes, classes)
    for p, t in zip(pred, target):
        m[t, p] += 1
    return m
