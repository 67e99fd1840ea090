"""Power iteration, a running buffer and a relaxation: all change in place."""
import numpy as np
import torch


def relax(grid, steps):
    for _ in range(steps):
        average = np.mean(grid)
        grid[1:-1] += 0.1 * (average - grid[1:-1])
    return grid


def smooth(signal, decay, frames):
    state = torch.zeros_like(signal)
    energies = []
    for frame in frames:
        state.mul_(decay).add_(frame)
        energies.append(torch.sum(state * state))
    return energies


def deflate(matrix, vectors):
    sizes = []
    for vector in vectors:
        np.subtract(matrix, np.outer(vector, vector), out=matrix)
        sizes.append(np.linalg.norm(matrix))
    return sizes
