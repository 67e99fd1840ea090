"""Trains a small convolutional network, as PyTorch's quickstart does."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def images(count):
    """Images with a bright square whose place is the label, and noise."""
    labels = torch.randint(0, 4, (count,))
    pictures = torch.rand(count, 1, 28, 28)
    for label in range(4):
        top, left = divmod(label, 2)
        pictures[labels == label, :, 14 * top : 14 * top + 7, 14 * left : 14 * left + 7] += 1
    return TensorDataset(pictures, labels)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(32 * 7 * 7, 4),
        )

    def forward(self, pictures):
        return self.stack(pictures)


def train(loader, model, loss_of, optimizer):
    model.train()
    for number, (pictures, labels) in enumerate(loader):
        loss = loss_of(model(pictures), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if number % 20 == 0:
            print(f"loss {loss.item():.4f}")


def test(loader, model):
    model.eval()
    right = 0
    with torch.no_grad():
        for pictures, labels in loader:
            right += (model(pictures).argmax(1) == labels).sum().item()
    print(f"right {right / len(loader.dataset):.3f}")


def main():
    torch.manual_seed(0)
    training = DataLoader(images(6400), batch_size=64, shuffle=True)
    testing = DataLoader(images(1280), batch_size=128)
    model = Network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(5):
        train(training, model, nn.CrossEntropyLoss(), optimizer)
        test(testing, model)


if __name__ == "__main__":
    main()
