"""Gives a photograph the colours of another one: palettes by k-means, matched by optimal transport."""

import logging
import sys

import numpy as np
from PIL import Image

log = logging.getLogger("colors")


def squared_distances(points, centers):
    """All distances between rows, by the binomial formula."""
    point_norms = np.sum(points**2, axis=1)
    center_norms = np.sum(centers**2, axis=1)
    return point_norms[:, None] - 2 * points @ centers.T + center_norms[None, :]


class Palette:
    def __init__(self, n_colors=32, tol=1e-3, max_iter=200, seed=0):
        self.n_colors = n_colors
        self.tol = tol
        self.max_iter = max_iter
        self.rng = np.random.RandomState(seed)
        self.centers = None
        self.weights = None

    def fit(self, pixels):
        chosen = self.rng.choice(len(pixels), self.n_colors, replace=False)
        self.centers = pixels[chosen]
        shift, turns = np.inf, 0
        while shift > self.tol and turns < self.max_iter:
            labels = self.assign(pixels)  # note: loop-invariant-op
            moved = self._means(pixels, labels)
            shift = np.abs(moved - self.centers).max()
            self.centers = moved
            turns += 1
        log.info("palette settled after %d turns", turns)
        self.weights = np.bincount(self.assign(pixels), minlength=self.n_colors) / len(pixels)
        return self

    def assign(self, pixels):
        return squared_distances(pixels, self.centers).argmin(axis=1)

    def _means(self, pixels, labels):
        counts = np.bincount(labels, minlength=self.n_colors)
        sums = np.stack(
            [np.bincount(labels, weights=c, minlength=self.n_colors) for c in pixels.T], axis=1
        )
        return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], self.centers)


def sinkhorn(a, b, cost, reg=0.05, tol=1e-9, max_iter=5000):
    u = np.ones_like(a)
    v = np.ones_like(b)
    error = 1.0
    turn = 0
    while error > tol and turn < max_iter:
        kernel = np.exp(-cost / reg)
        u = a / (kernel @ v)
        v = b / (kernel.T @ u)
        turn += 1
        if turn % 20 == 0:
            plan = u[:, None] * kernel * v[None, :]
            error = np.abs(plan.sum(axis=1) - a).max()
    return u[:, None] * np.exp(-cost / reg) * v[None, :]


def transfer(source, target, n_colors):
    pixels = source.reshape(-1, 3)
    ours = Palette(n_colors).fit(pixels)
    theirs = Palette(n_colors).fit(target.reshape(-1, 3))
    cost = squared_distances(ours.centers, theirs.centers)
    plan = sinkhorn(ours.weights, theirs.weights, cost / cost.max())
    matched = plan @ theirs.centers / plan.sum(axis=1, keepdims=True)
    moved = pixels + (matched - ours.centers)[ours.assign(pixels)]
    return moved.reshape(source.shape)


def read(path):
    return np.asarray(Image.open(path).convert("RGB"), dtype=np.float64) / 255


def main(argv):
    if len(argv) != 4:
        print("usage: color_transfer.py PHOTO LIKE RESULT", file=sys.stderr)
        return 2
    result = transfer(read(argv[1]), read(argv[2]), n_colors=256)
    Image.fromarray((np.clip(result, 0, 1) * 255).astype(np.uint8)).save(argv[3])
    return 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    sys.exit(main(sys.argv))
