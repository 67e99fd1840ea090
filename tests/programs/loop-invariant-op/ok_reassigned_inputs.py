"""What goes in changes: by the loop variable, by a swap, by a branch, by unpacking."""
import numpy as np
import torch


def fibonacci_matrices(count):
    left, right = np.eye(2), np.array([[1.0, 1.0], [1.0, 0.0]])
    products = []
    for _ in range(count):
        products.append(np.dot(left, right))
        left, right = right, products[-1]
    return products


def line_search(f, point, direction):
    size = 1.0
    start = f(point)
    while f(point + size * direction) > start - 1e-4 * size * torch.dot(direction, direction).item():
        size *= 0.5
        direction = direction * 0.99
    return size


def warm_up(table, rows):
    sums = []
    for row in rows:
        if row.max() > table.max():
            table = np.vstack([table, row])
        sums.append(np.linalg.svd(table, compute_uv=False)[0])
    return sums
