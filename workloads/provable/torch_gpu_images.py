"""A classifier of images that lie on the GPU, where there is one, and keep it busy."""

import torch
import torch.nn.functional as F
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
COUNT, SIDE, WIDTH = (4096, 128, 128) if device == "cuda" else (256, 16, 8)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.second = nn.Conv2d(width, width, 3, padding=1)
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for _ in range(2))

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(x + self.norms[1](self.second(y)))


class Classifier(nn.Module):
    def __init__(self, width=WIDTH, depth=4, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 5, stride=2, padding=2)
        self.blocks = nn.Sequential(*[Residual(width) for _ in range(depth)])
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        return self.head(self.blocks(F.relu(self.stem(images))).mean((2, 3)))


def accuracy(model, images, labels):
    model.eval()
    correct = torch.zeros((), device=device)
    for start in range(0, len(images), 128):
        scores = model(images[start : start + 128])
        correct += (scores.argmax(1) == labels[start : start + 128]).sum()
    model.train()
    return correct.item() / len(images)


def main():
    torch.manual_seed(0)
    labels = torch.arange(COUNT, device=device) % 4
    images = torch.randn(COUNT, 3, SIDE, SIDE, device=device) + labels.view(-1, 1, 1, 1)
    model = Classifier().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        for batch in torch.randperm(COUNT, device=device).split(128):
            loss = F.cross_entropy(model(images[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: accuracy {accuracy(model, images, labels):.1f}")


if __name__ == "__main__":
    main()
