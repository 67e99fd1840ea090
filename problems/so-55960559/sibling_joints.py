"""Keeps some joints of a skeleton."""

import torch
from torch import nn


class JointFilter(nn.Module):
    def __init__(self, joints):
        super().__init__()
        self.joints = joints

    def forward(self, skeletons):
        kept = []
        for joint in self.joints:
            kept.append(skeletons[:, joint : joint + 1])  # finding
        return torch.cat(kept, dim=1)
