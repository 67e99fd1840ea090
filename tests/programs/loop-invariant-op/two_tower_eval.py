from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Settings:
    users: int = 200_000
    items: int = 80_000
    width: int = 128
    top: int = 50


class TwoTower(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.user = nn.Embedding(cfg.users, cfg.width)
        self.item = nn.Embedding(cfg.items, cfg.width)
        self.project = nn.Sequential(nn.Linear(cfg.width, cfg.width), nn.ReLU(), nn.Linear(cfg.width, cfg.width))

    def encode_users(self, ids):
        return self.project(self.user(ids))

    def encode_items(self, ids):
        return self.project(self.item(ids))


@torch.no_grad()
def recall(model, batches, truth, cfg):
    model.eval()
    hits = []
    for users in batches:
        vectors = F.normalize(model.encode_users(users), dim=-1)
        items = F.normalize(model.item.weight, dim=-1)
        found = (vectors @ items.T).topk(cfg.top).indices
        for user, row in zip(users.tolist(), found.tolist()):
            hits.append(len(set(row) & truth[user]) / cfg.top)
    return float(np.mean(hits))


@torch.no_grad()
def recommend(model, batches, cfg):
    model.eval()
    catalogue = torch.arange(cfg.items)
    for users in batches:
        vectors = model.encode_users(users)
        items = model.encode_items(catalogue)  # note: loop-invariant-op
        yield users, (vectors @ items.T).topk(cfg.top).indices


def fit(model, batches, optimizer):
    model.train()
    for users, positives in batches:
        items = F.normalize(model.item.weight, dim=-1)
        scores = model.encode_users(users) @ items.T
        loss = F.cross_entropy(scores, positives)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def popularity(log, cfg, days):
    for day in days:
        counts = np.bincount(log[day], minlength=cfg.items)
        yield day, np.argsort(-counts)[: cfg.top]
