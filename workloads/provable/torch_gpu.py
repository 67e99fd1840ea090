"""A classifier of images on a GPU, where there is one, after PyTorch's tutorials."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)
    )


def main():
    torch.manual_seed(0)
    images = torch.randn(4096, 3, 64, 64)
    labels = torch.randint(0, 10, (4096,))
    loader = DataLoader(TensorDataset(images, labels), batch_size=64, shuffle=True)
    model = nn.Sequential(
        block(3, 64), block(64, 128), block(128, 256), nn.Flatten(), nn.Linear(256 * 64, 10)
    )
    model = model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    for epoch in range(3):
        total = 0.0
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.2f}")


if __name__ == "__main__":
    main()
