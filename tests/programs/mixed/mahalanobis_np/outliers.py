"""Scores of measurements that arrive in blocks; no framework, only NumPy."""
import sys

import numpy as np


class Detector:
    def __init__(self, reference, ridge=1e-3):
        self.mean = reference.mean(axis=0)
        self.cov = np.cov(reference, rowvar=False) + ridge * np.eye(reference.shape[1])
        self.gain = 0.05

    def distance(self, block):
        inverse = np.linalg.inv(self.cov)  # finding: loop-invariant-op
        centered = block - self.mean
        return np.sqrt(np.einsum("ij,jk,ik->i", centered, inverse, centered))

    def update(self, block):
        self.cov = (1 - self.gain) * self.cov + self.gain * np.cov(block, rowvar=False)


class Adaptive(Detector):
    def run(self, blocks):
        for block in blocks:
            factor = np.linalg.cholesky(self.cov)
            yield np.linalg.solve(factor, (block - self.mean).T)
            self.update(block)


def score_stream(detector, blocks):
    return [detector.distance(block).max() for block in blocks]


def smooth(signal, width, rounds):
    turn = 0
    while turn < rounds:
        window = np.hanning(width)
        signal = np.convolve(signal, window / window.sum(), mode="same")
        turn += 1
    return signal


def project(frames, basis):
    return np.stack([np.linalg.pinv(basis) @ frame for frame in frames])  # finding: loop-invariant-op


def calibrate(reference):
    scales = []
    for axis in range(3):
        scales.append(np.linalg.svd(reference, compute_uv=False)[axis])
    return scales


def bootstrap(values, rounds=2000):
    random = np.random.default_rng(0)
    means = np.empty(rounds)
    for turn in range(rounds):
        means[turn] = random.choice(values, len(values)).mean()
    return means


def power_iteration(matrix, steps=500):
    vector = np.ones(len(matrix))
    for _ in range(steps):
        vector = matrix @ vector
        vector /= np.linalg.norm(vector)
    return vector


def main(path):
    with np.load(path) as data:
        reference, blocks = data["reference"], data["blocks"]
    detector = Detector(reference)
    scores = np.array(score_stream(detector, blocks))
    print(smooth(scores, 51, 400)[-1])
    print(project(blocks, reference.T[:, :32]).shape, calibrate(reference))
    print(sum(len(part) for part in Adaptive(reference).run(blocks)))
    print(bootstrap(scores).std(), power_iteration(detector.cov)[0])


if __name__ == "__main__":
    main(sys.argv[1])
