"""Classifies gestures from the joints that the camera sees well."""

import torch
from sibling_joints import JointFilter
from torch import nn


class Gestures(nn.Module):
    def __init__(self, joints):
        super().__init__()
        self.visible = JointFilter(joints)
        self.net = nn.Sequential(nn.Linear(len(joints) * 3, 64), nn.ReLU(), nn.Linear(64, 6))

    def forward(self, skeletons):
        return self.net(self.visible(skeletons).flatten(1))


def main():
    torch.manual_seed(55)
    skeletons = torch.randn(128, 25, 3)
    gestures = Gestures(joints=[0, 2, 3, 5, 8, 9, 11, 14, 17, 20, 22])
    with torch.no_grad():
        return torch.bincount(gestures(skeletons).argmax(dim=1), minlength=6)


if __name__ == "__main__":
    print(main())
