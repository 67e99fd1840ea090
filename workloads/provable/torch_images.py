"""A small classifier of images that are made up as they are read, after PyTorch's tutorials."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Shapes(Dataset):
    """Squares and crosses on noise."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        random = np.random.default_rng(index)
        image = random.normal(0.0, 0.3, (64, 64))
        row, column = random.integers(8, 56, 2)
        label = index % 2
        if label:
            image[row - 6 : row + 6, column - 6 : column + 6] += 1.0
        else:
            image[row, :] += 1.0
            image[:, column] += 1.0
        spectrum = np.abs(np.fft.fft2(image))
        picture = np.stack([image, np.log1p(spectrum)]).astype(np.float32)
        return torch.from_numpy(picture), label


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(2, 16, 5, stride=2)
        self.second = nn.Conv2d(16, 32, 5, stride=2)
        self.head = nn.Linear(32 * 13 * 13, 2)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = F.relu(self.second(x))
        return self.head(x.flatten(1))


def main():
    torch.manual_seed(0)
    loader = DataLoader(Shapes(1200), batch_size=16, shuffle=True)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(2):
        seen = correct = 0
        for images, labels in loader:
            scores = model(images)
            loss = F.cross_entropy(scores, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            correct += (scores.argmax(1) == labels).sum().item()
            seen += len(labels)
        print(f"epoch {epoch}: accuracy {correct / seen:.3f}, loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
