"""Matrices derived from an adjacency."""
import torch


def with_loops(adj):
    return adj + torch.eye(adj.shape[0], device=adj.device)


def half_inverse(deg):
    return torch.diag(deg.clamp(min=1.0).pow(-0.5))


def propagation(adj):
    a = with_loops(adj)
    d = half_inverse(a.sum(1))
    return d @ a @ d  # finding: loop-invariant-op


def harmonics(adj, k):
    d = half_inverse(adj.sum(1))
    lap = torch.eye(adj.shape[0], device=adj.device) - d @ adj @ d
    _, vec = torch.linalg.eigh(lap)  # finding: loop-invariant-op
    return vec[:, 1:k + 1]
