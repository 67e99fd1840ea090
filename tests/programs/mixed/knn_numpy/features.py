"""Features and neighbours of sensor traces."""
import math
from collections import Counter

import numpy as np


def standardize(table):
    def one(row):
        return (row - row.mean()) / (row.std() + 1e-8)

    return np.array([one(row) for row in table])  # finding: per-slice-op


def entropy(table: np.ndarray) -> np.ndarray:
    return np.apply_along_axis(lambda p: -np.sum(p * np.log(p + 1e-12)), 1, table)  # finding: row-wise-map


def huber(residual: np.ndarray, delta: float) -> np.ndarray:
    loss = np.empty_like(residual)
    for i in range(len(residual)):  # finding: looped-branch
        r = abs(residual[i])
        if r <= delta:
            loss[i] = 0.5 * r * r
        else:
            loss[i] = delta * (r - 0.5 * delta)
    return loss


def neighbours(bank: np.ndarray, order: np.ndarray) -> np.ndarray:
    picked = []
    for index in order:
        picked.append(bank[index])  # finding: looped-lookup
    return np.array(picked)


def histogram(codes: np.ndarray, size: int) -> np.ndarray:
    counts = np.zeros(size)
    for code in codes:
        counts[code] += 1  # finding: looped-update
    return counts


def cooccurrence(sentences, vocabulary):
    counts = Counter()
    for words in sentences:
        for a, b in zip(words, words[1:]):
            counts[a, b] += 1
    return counts


def one_hot(labels: np.ndarray, classes: int) -> np.ndarray:
    out = np.zeros((labels.shape[0], classes), dtype=np.float32)
    for row, label in enumerate(labels):
        out[row, label] = 1.0  # finding: looped-update
    return out


def viterbi(scores: np.ndarray, transition: np.ndarray):
    best = scores[0]
    back = np.zeros(scores.shape, dtype=int)
    for t in range(1, len(scores)):
        total = best[:, None] + transition
        back[t] = total.argmax(0)
        best = total.max(0) + scores[t]
    return best, back


def smooth(signal, alpha):
    out = np.empty(len(signal))
    out[0] = signal[0]
    for t in range(1, len(signal)):
        out[t] = alpha * signal[t] + (1 - alpha) * out[t - 1]
    return out


def simulate(count):
    heights = np.array([np.random.gamma(2.0, 1.5) for _ in range(count)])  # finding: looped-draw
    return heights.cumsum()


def random_walk(steps, step_size):
    spot, spots = 0.0, []
    for _ in range(steps):
        spot = spot + np.random.choice([-1, 1]) * step_size
        if abs(spot) > 10:
            spot = math.copysign(10, spot)
        spots.append(spot)
    return spots


def mahalanobis(points: np.ndarray, mean: np.ndarray, cov: np.ndarray):
    distances = []
    for p in points:
        delta = p - mean
        distances.append(delta @ np.linalg.inv(cov) @ delta)  # finding: loop-invariant-op
    return distances


def gauss_newton(jacobian, residual, x, rounds=50):
    for _ in range(rounds):
        j = jacobian(x)
        x = x - np.linalg.solve(j.T @ j, j.T @ residual(x))
    return x


def ridge_path(x, y, strengths):
    betas = []
    for strength in strengths:
        gram = x.T @ x  # finding: loop-invariant-op
        betas.append(np.linalg.solve(gram + strength * np.eye(x.shape[1]), x.T @ y))  # finding: loop-invariant-op
    return betas


def letters(word, table):
    return [table[c] for c in word]


if __name__ == "__main__":
    traces = np.load("traces.npy")
    print(entropy(standardize(traces)).mean())
