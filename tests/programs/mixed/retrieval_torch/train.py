import argparse

import torch
from torch.utils.data import DataLoader

from module import TwoTower


def fit(model, loader, epochs, rate):
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for epoch in range(epochs):
        model.train()
        total = torch.zeros(())
        for batch in loader:
            loss = model.training_step(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total = total + loss.detach()
        print(epoch, total.item() / len(loader))


def soup(states):
    keys = states[0].keys()
    return {key: torch.stack([state[key] for state in states]).mean(dim=0) for key in keys}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    pairs, held, gallery = torch.load(args.data)
    model = TwoTower(30000)
    fit(model, DataLoader(pairs, 64, shuffle=True), args.epochs, 3e-4)
    print(model.evaluate(DataLoader(held, 64), gallery))
    print(model.whitened(DataLoader(held, 64), gallery).shape)


if __name__ == "__main__":
    main()
