"""A regression on a table, after PyTorch's beginner tutorials."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_data(rows):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 32, generator=generator)
    y = (x[:, :4].sum(1, keepdim=True) + 0.1 * torch.randn(rows, 1, generator=generator)).tanh()
    return TensorDataset(x, y)


def train_one_epoch(model, loader, loss_fn, optimizer):
    model.train()
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def test(model, loader, loss_fn):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += loss_fn(model(x), y).item()
    return total / len(loader)


def main():
    torch.manual_seed(0)
    training = DataLoader(make_data(6400), batch_size=32, shuffle=True)
    testing = DataLoader(make_data(1280), batch_size=32)
    layers = [nn.Linear(32, 64), nn.ReLU()]
    for _ in range(6):
        layers += [nn.Linear(64, 64), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = nn.MSELoss()
    for epoch in range(5):
        train_one_epoch(model, training, loss_fn, optimizer)
        print(f"epoch {epoch}: test loss {test(model, testing, loss_fn):.5f}")


if __name__ == "__main__":
    main()
