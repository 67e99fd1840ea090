"""Behaviour cloning for the pick-and-place arm.

Each demonstration is an .npz: `state` (t, 23) joint and gripper readings, `action` (t, 7).
"""
import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class DemoWindows(Dataset):
    """Windows of `history` states with the next `horizon` actions."""

    def __init__(self, files, history, horizon):
        self.history, self.horizon = history, horizon
        self.demos, self.index = [], []
        for number, file in enumerate(files):
            with np.load(file) as demo:
                state = torch.from_numpy(demo["state"].astype(np.float32))
                action = torch.from_numpy(demo["action"].astype(np.float32))
            self.demos.append((state, action))
            last = len(state) - history - horizon + 1
            self.index.extend((number, t) for t in range(max(last, 0)))

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        number, t = self.index[i]
        state, action = self.demos[number]
        now = t + self.history
        return state[t:now], action[now:now + self.horizon]


class Policy(nn.Module):
    def __init__(self, history, horizon, states=23, actions=7, width=512):
        super().__init__()
        self.shape = (horizon, actions)
        self.net = nn.Sequential(
            nn.Flatten(),
            nn.Linear(history * states, width), nn.LayerNorm(width), nn.Mish(),
            nn.Linear(width, width), nn.LayerNorm(width), nn.Mish(),
            nn.Linear(width, horizon * actions),
        )

    def forward(self, state):
        return self.net(state).unflatten(1, self.shape)


class CloningTask:
    """Data, model, loss and optimiser of the task."""

    def __init__(self, args):
        files = sorted(Path(args.demos).glob("*.npz"))
        self.args = args
        self.train_set = DemoWindows(files[:-args.held_out], args.history, args.horizon)
        self.valid_set = DemoWindows(files[-args.held_out:], args.history, args.horizon)
        self.model = Policy(args.history, args.horizon)

    def _loader(self, dataset, shuffle):
        return DataLoader(
            dataset,
            batch_size=self.args.batch_size,
            shuffle=shuffle,
            num_workers=self.args.workers,
            pin_memory=torch.cuda.is_available(),
        )

    def train_loader(self):
        return self._loader(self.train_set, shuffle=True)

    def valid_loader(self):
        return self._loader(self.valid_set, shuffle=False)

    def loss(self, batch, device):
        state, action = (part.to(device, non_blocking=True) for part in batch)
        return nn.functional.smooth_l1_loss(self.model(state), action)

    def optimizer(self):
        return torch.optim.AdamW(self.model.parameters(), lr=3e-4, weight_decay=1e-4)


def fit(task, epochs, device):
    task.model.to(device)
    optimizer = task.optimizer()
    for epoch in range(epochs):
        task.model.train()
        train_losses = []
        for batch in task.train_loader():
            optimizer.zero_grad(set_to_none=True)
            loss = task.loss(batch, device)
            loss.backward()
            optimizer.step()
            train_losses.append(loss.detach())

        task.model.eval()
        with torch.inference_mode():
            valid_losses = [task.loss(batch, device) for batch in task.valid_loader()]
        means = [torch.stack(losses).mean().item() for losses in (train_losses, valid_losses)]
        print("{:4d}  train {:.5f}  valid {:.5f}".format(epoch, *means), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("demos")
    parser.add_argument("--history", type=int, default=4)
    parser.add_argument("--horizon", type=int, default=16)
    parser.add_argument("--held-out", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--workers", type=int, default=6)
    options = parser.parse_args()
    cloning = CloningTask(options)
    fit(cloning, options.epochs, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    torch.save(cloning.model.state_dict(), "policy.pt")
