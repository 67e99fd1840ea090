"""Evolution of filters; NumPy and threads only."""
import concurrent.futures
import itertools
import sys

import numpy as np


def whiten(patches):
    covariance = np.cov(patches, rowvar=False)  # finding: loop-invariant-op
    values, vectors = np.linalg.eigh(covariance)
    return patches @ (vectors / np.sqrt(values + 1e-5))


def fitness(genome, patches):
    responses = whiten(patches) @ genome
    return np.mean(np.tanh(responses) ** 4)


def score_all(population, patches):
    return list(map(lambda genome: fitness(genome, patches), population))


def score_parallel(population, patches):
    ready = whiten(patches)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return list(pool.map(lambda genome: np.mean(np.tanh(ready @ genome) ** 4), population))


def mutate(genome, random, scale):
    return genome + scale * random.normal(size=genome.shape)


def orthogonal(population):
    basis = np.linalg.qr(np.stack(population).T)[0]
    return list(basis.T)


def evolve(population, patches, random, patience=50):
    best, stale = -np.inf, 0
    while stale < patience:
        scores = score_all(population, patches)
        order = np.argsort(scores)[::-1]
        parents = [population[i] for i in order[: len(order) // 4]]
        children = [mutate(parent, random, 0.1) for parent in parents for _ in range(3)]
        population = orthogonal(parents + children)
        stale = 0 if scores[order[0]] > best else stale + 1
        best = max(best, scores[order[0]])
    return population, best


def descend(signal, depth=0):
    """Halves the signal until it is short."""
    if len(signal) < 8:
        return [signal]
    kernel = np.kaiser(5, 3.0)
    low = np.convolve(signal, kernel / kernel.sum(), "same")[::2]
    return [signal, *descend(low, depth + 1)]


def rolling(stream, lags):
    while (block := next(stream, None)) is not None:
        toeplitz = np.linalg.inv(lags.T @ lags)  # finding: loop-invariant-op
        yield toeplitz @ (lags.T @ block)


def main(path):
    with np.load(path) as data:
        patches, blocks, lags = data["patches"], data["blocks"], data["lags"]
    random = np.random.default_rng(1)
    first = [random.normal(size=patches.shape[1]) for _ in range(48)]
    population, best = evolve(first, patches, random)
    print(best, max(score_parallel(population, patches)), len(descend(blocks.ravel())))
    print(sum(fit.sum() for fit in rolling(itertools.chain(blocks, blocks[::-1]), lags)))


if __name__ == "__main__":
    main(sys.argv[1])
