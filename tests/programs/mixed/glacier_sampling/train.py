import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

from schedule import Cosine, Linear, Sampler

SCHEDULES = {"linear": Linear, "cosine": Cosine}


class Denoiser(torch.nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.time = torch.nn.Embedding(1000, width)
        self.first = torch.nn.Conv2d(1, width, 3, padding=1)
        self.last = torch.nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x, t):
        return self.last(torch.relu(self.first(x) + self.time(t)[:, :, None, None]))


def fit(model, loader, schedule, epochs):
    optimizer = torch.optim.Adam(model.parameters(), 2e-4)
    for _ in range(epochs):
        for (x,) in loader:
            t = torch.randint(schedule.steps, (len(x),))
            noise = torch.randn_like(x)
            noised = schedule.noised(x, t, noise)
            loss = torch.nn.functional.mse_loss(model(noised, t), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedule", choices=SCHEDULES, default="cosine")
    parser.add_argument("--epochs", type=int, default=100)
    args = parser.parse_args()
    schedule = SCHEDULES[args.schedule](1000)
    model = Denoiser()
    rasters = torch.load("glaciers.pt")
    fit(model, DataLoader(TensorDataset(rasters), 64, shuffle=True), schedule, args.epochs)
    torch.save(Sampler(model, schedule, (1, 32, 32)).ancestral(64), "samples.pt")
