"""Rebuilds damaged brain scans with an autoencoder."""

import torch
from sibling_rebuild import Rebuilder
from torch.nn.functional import mse_loss


def main():
    torch.manual_seed(53)
    scans = torch.rand(6, 1, 96, 96)
    rebuilder = Rebuilder(side=96)
    optimizer = torch.optim.SGD(rebuilder.parameters(), lr=1e-3)
    loss = torch.tensor(0.0)
    for batch in scans.split(3):
        optimizer.zero_grad()
        loss = mse_loss(rebuilder(batch * (torch.rand_like(batch) > 0.1)), batch)
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    print(main())
