# requires: numpy
"""Pictures of the inside of a tree trunk from sound: solvers that share a protocol."""
import contextlib
import functools
import time
from dataclasses import dataclass, field
from typing import Callable, Iterator

import numpy as np
import scipy.linalg


@dataclass
class Problem:
    paths: np.ndarray
    times: np.ndarray
    weight: float = 0.1
    history: list = field(default_factory=list)

    @property
    def cells(self):
        return self.paths.shape[1]

    def rough(self):
        return np.diff(np.eye(self.cells), 2, axis=0)

    def residual(self, slowness):
        return self.paths @ slowness - self.times


@contextlib.contextmanager
def timed(name):
    started = time.perf_counter()
    yield
    print(name, round(time.perf_counter() - started, 3))


def landweber(problem: Problem) -> Iterator[np.ndarray]:
    slowness = np.zeros(problem.cells)
    while True:
        step = 1.0 / np.linalg.norm(problem.paths, 2) ** 2  # finding: loop-invariant-op
        slowness = slowness - step * problem.paths.T @ problem.residual(slowness)
        yield slowness


def proximal(problem: Problem, rate: float) -> Callable[[np.ndarray], np.ndarray]:
    def solve(point):
        smooth = problem.rough()
        left = np.dot(smooth.T, smooth) * problem.weight + np.eye(problem.cells) / rate  # finding: loop-invariant-op
        return scipy.linalg.cho_solve(scipy.linalg.cho_factor(left), point / rate)  # finding: loop-invariant-op

    return solve


def alternating(problem, turns, rate=0.5):
    shrink = proximal(problem, rate)
    slowness = np.zeros(problem.cells)
    dual = np.zeros(problem.cells)
    for _ in range(turns):
        split = shrink(slowness - dual)
        dual = dual + split - slowness
        slowness = split - rate * problem.paths.T @ problem.residual(split)
    return slowness


def kaczmarz(problem, sweeps, seed=0):
    rng = np.random.default_rng(seed)
    norms = np.einsum("ij,ij->i", problem.paths, problem.paths)
    slowness = np.zeros(problem.cells)
    for _ in range(sweeps):
        for row in rng.permutation(len(problem.paths)):
            gap = problem.times[row] - problem.paths[row] @ slowness
            slowness = slowness + gap / norms[row] * problem.paths[row]
    return slowness


def until(iterates, problem, tolerance, most):
    goal = functools.partial(np.allclose, problem.times, rtol=tolerance)
    for number, slowness in zip(range(most), iterates):
        problem.history.append(np.linalg.norm(problem.residual(slowness)))
        if goal(problem.paths @ slowness):
            break
    return slowness


def main():
    data = np.load("trunk.npz")
    problem = Problem(data["paths"], data["times"])
    with timed("landweber"):
        first = until(landweber(problem), problem, 1e-3, 20000)
    with timed("alternating"):
        second = alternating(problem, 5000)
    with timed("kaczmarz"):
        third = kaczmarz(problem, 50)
    np.savez("found.npz", first=first, second=second, third=third)


if __name__ == "__main__":
    main()
