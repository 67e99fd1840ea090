import torch.nn as nn
import torchvision


def teacher_net(classes, weights):
    import torch
    net = torchvision.models.resnet50(num_classes=classes)
    net.load_state_dict(torch.load(weights, map_location="cpu"))
    for p in net.parameters():
        p.requires_grad_(False)
    return net.eval()


class Student(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = torchvision.models.mobilenet_v3_small().features
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(576, classes)

    def forward(self, x):
        return self.fc(self.pool(self.features(x)).flatten(1))
