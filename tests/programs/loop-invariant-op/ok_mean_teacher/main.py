import sys

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset
from torchvision import datasets, transforms

from semi.loop import MeanTeacher


class Net(nn.Module):
    feature_dim = 128

    def __init__(self, classes=10):
        super().__init__()
        blocks, width = [], 3
        for out in (32, 64, 128):
            blocks += [nn.Conv2d(width, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU(), nn.MaxPool2d(2)]
            width = out
        self.body = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(self.feature_dim, classes)

    def features(self, x):
        return self.body(x)

    def forward(self, x):
        return self.head(self.features(x))


class TwoViews(Dataset):
    def __init__(self, base):
        self.base = base
        self.weak = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.ToTensor()])
        self.strong = transforms.Compose([
            transforms.RandomHorizontalFlip(), transforms.RandAugment(), transforms.ToTensor(),
        ])

    def __len__(self):
        return len(self.base)

    def __getitem__(self, index):
        image, _ = self.base[index]
        return self.weak(image), self.strong(image)


def main(root):
    torch.manual_seed(0)
    raw = datasets.CIFAR10(root, download=True)
    tensor = datasets.CIFAR10(root, transform=transforms.ToTensor())
    labeled = DataLoader(Subset(tensor, range(4000)), 64, shuffle=True, num_workers=2)
    unlabeled = DataLoader(TwoViews(raw), 256, shuffle=True, num_workers=6, drop_last=True)
    probe = torch.stack([tensor[i][0] for i in range(0, 50000, 400)])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    MeanTeacher(Net(), probe, device).run(labeled, unlabeled, steps=40000, weight=20.0)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "data")
