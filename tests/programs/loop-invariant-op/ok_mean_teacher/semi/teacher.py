import copy

import torch


def frozen_copy(net):
    twin = copy.deepcopy(net)
    for p in twin.parameters():
        p.requires_grad_(False)
    return twin


@torch.no_grad()
def follow(teacher, student, decay):
    """Move the teacher a little towards the student, in place."""
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(decay).add_(s, alpha=1 - decay)
    for t, s in zip(teacher.buffers(), student.buffers()):
        t.copy_(s)


class Bank:
    """The latest features of unlabeled pictures, overwritten in turn."""

    def __init__(self, size, dim, device):
        self.rows = torch.nn.functional.normalize(torch.randn(size, dim, device=device), dim=1)
        self.cursor = 0

    def push(self, features):
        count = len(features)
        where = (self.cursor + torch.arange(count, device=features.device)) % len(self.rows)
        self.rows[where] = features
        self.cursor = (self.cursor + count) % len(self.rows)

    def gram(self):
        return self.rows @ self.rows.T
