import torch
from torch import nn


class Stem(nn.Module):
    """A patch stem, as in ConvNeXt."""

    def __init__(self, width=96):
        super().__init__()
        self.conv = nn.Conv2d(3, width, kernel_size=4, stride=4)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return self.norm(self.conv(x))


class LargeKernelBlock(nn.Module):
    """Depthwise 31x31, then pointwise, as in RepLKNet."""

    def __init__(self, width):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 31, padding=15, groups=width)
        self.expand = nn.Conv2d(width, 4 * width, 1)
        self.reduce = nn.Conv2d(4 * width, width, 1)

    def forward(self, x):
        return x + self.reduce(torch.relu(self.expand(self.depthwise(x))))


class Replk(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = Stem()
        self.blocks = nn.Sequential(*[LargeKernelBlock(96) for _ in range(4)])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(96, classes)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.head(self.pool(x).flatten(1))


class Baseline(nn.Module):
    """For 3x256x256."""

    def __init__(self, classes=5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(),
            nn.Linear(32 * 64 * 64, 1024),  # finding: oversized-dense
            nn.ReLU(),
            nn.Dropout(0.5),
            nn.Linear(1024, classes),
        )

    def forward(self, x):
        return self.classifier(self.features(x))


class Vessels(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 64, 7, padding=3)
        self.context = nn.Conv2d(64, 64, kernel_size=(41, 41), padding=20)  # finding: oversized-kernel
        self.mask = nn.Conv2d(64, 1, 1)

    def forward(self, x):
        return torch.sigmoid(self.mask(torch.relu(self.context(torch.relu(self.first(x))))))
