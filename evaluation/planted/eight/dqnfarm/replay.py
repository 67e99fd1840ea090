import numpy as np
import torch


class Replay:
    def __init__(self, capacity=3000, alpha=0.6, seed=0):
        self.capacity = capacity
        self.alpha = alpha
        self.rng = np.random.default_rng(seed)
        self.items = []
        self.priority = []

    def __len__(self):
        return len(self.items)

    def add(self, obs, action, gain, after, done):
        if len(self.items) >= self.capacity:
            self.items.pop(0)
            self.priority.pop(0)
        self.items.append((obs, action, gain, after, done))
        self.priority.append(max(self.priority, default=1.0))

    def sample(self, count):
        raw = np.array([p**self.alpha for p in self.priority])
        index = self.rng.choice(len(raw), count, replace=False, p=raw / raw.sum())
        rows = [self.items[i] for i in index]
        obs = torch.tensor([r[0].tolist() for r in rows])
        after = torch.tensor([r[3].tolist() for r in rows])
        action = torch.tensor([r[1] for r in rows])
        gain = torch.tensor([r[2] for r in rows])
        done = torch.tensor([float(r[4]) for r in rows])
        return index, obs, action, gain, after, done

    def update(self, index, errors):
        for i, e in zip(index, errors):
            self.priority[i] = abs(e.item()) + 0.01
