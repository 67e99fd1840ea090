"""Online kernel ridge over spectra: features are standardised and projected block by block."""
import argparse

import numpy as np
from scipy.spatial.distance import cdist


def standardise(x, mean, std):
    x = np.array(x, dtype=np.float64)
    x -= mean
    x /= std
    return x


class Nystroem:
    def __init__(self, landmarks, gamma):
        self.landmarks = landmarks
        self.gamma = gamma

    def root(self):
        k = np.exp(-self.gamma * cdist(self.landmarks, self.landmarks, "sqeuclidean"))
        w, v = np.linalg.eigh(k)
        w = np.maximum(w, 1e-12)
        return v / np.sqrt(w)

    def transform(self, x):
        k = np.exp(-self.gamma * cdist(x, self.landmarks, "sqeuclidean"))
        return k @ self.root()  # note: loop-invariant-op


class Recursive:
    def __init__(self, dim, lam):
        self.p = np.eye(dim) / lam
        self.w = np.zeros(dim)

    def update(self, phi, y):
        for row, target in zip(phi, y):
            pr = self.p @ row
            gain = pr / (1.0 + row @ pr)
            self.w += gain * (target - row @ self.w)
            self.p -= np.outer(gain, pr)


def blocks(path, size):
    data = np.load(path, mmap_mode="r")
    for start in range(0, len(data), size):
        yield np.asarray(data[start : start + size])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--landmarks", type=int, default=300)
    parser.add_argument("--block", type=int, default=256)
    args = parser.parse_args()
    head = next(blocks(args.data, 4096))
    mean, std = head[:, :-1].mean(axis=0), head[:, :-1].std(axis=0) + 1e-9
    rng = np.random.default_rng(0)
    pick = rng.choice(len(head), args.landmarks, replace=False)
    mapping = Nystroem(standardise(head[pick, :-1], mean, std), gamma=0.05)
    model = Recursive(args.landmarks, 1e-3)
    for number, block in enumerate(blocks(args.data, args.block)):
        phi = mapping.transform(standardise(block[:, :-1], mean, std))
        error = np.abs(phi @ model.w - block[:, -1]).mean()
        model.update(phi, block[:, -1])
        print(number, error)


if __name__ == "__main__":
    main()
