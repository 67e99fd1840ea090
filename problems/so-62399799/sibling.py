"""A hyper-parameter search, in which every trial trains in a process of its own."""

from multiprocessing import Process, Queue

import numpy as np
from sibling_hardware import describe, products


class Trial:
    def __init__(self, rate):
        self.rate = rate

    def fit(self, results):
        rng = np.random.default_rng(6)
        rows = rng.normal(size=(200, 3))
        targets = rows @ np.array([1.0, -2.0, 0.5])
        weights = np.zeros(3)
        for _ in range(50):
            weights -= self.rate * rows.T @ (products(rows, weights) - targets) / len(rows)
        results.put((self.rate, float(np.square(products(rows, weights) - targets).mean())))


def search(rates):
    results = Queue()
    workers = [Process(target=Trial(rate).fit, args=(results,)) for rate in rates]
    for worker in workers:
        worker.start()
    losses = dict(results.get() for _ in workers)
    for worker in workers:
        worker.join()
    return min(losses, key=losses.get)


def main():
    print("searching", describe())
    return search([0.01, 0.1, 0.3])


if __name__ == "__main__":
    print(main())
