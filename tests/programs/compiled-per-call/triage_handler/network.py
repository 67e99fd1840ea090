import torch.nn as nn
from torchvision import models


class Head(nn.Module):
    def __init__(self, features, num_classes):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(features, 256),
            nn.ReLU(inplace=True),
            nn.Dropout(0.3),
            nn.Linear(256, num_classes),
        )

    def forward(self, x):
        return self.layers(x)


def build_network(num_classes):
    net = models.resnet50(weights=None)
    net.fc = Head(net.fc.in_features, num_classes)
    return net
