"""CP decomposition of a (customer, product, week) tensor by ALS, with subspace start.

Everything in the loops looks alike from turn to turn, but the factors move.
"""
import logging

import numpy as np

log = logging.getLogger("cp")


def unfold(t, mode):
    return np.moveaxis(t, mode, 0).reshape(t.shape[mode], -1)


def khatri_rao(a, b):
    return np.einsum("ir,jr->ijr", a, b).reshape(-1, a.shape[1])


def leading(m, rank, rng, sweeps=30):
    """Randomised subspace iteration."""
    q = rng.standard_normal((m.shape[0], rank))
    gram = m @ m.T
    for _ in range(sweeps):
        q, _ = np.linalg.qr(gram @ q)
    return q


class CP:
    def __init__(self, rank, tol=1e-6, limit=400, seed=0):
        self.rank = rank
        self.tol = tol
        self.limit = limit
        self.rng = np.random.default_rng(seed)

    def _gram(self, skip):
        g = 1.0
        for k, f in enumerate(self.factors):
            if k != skip:
                g = g * (f.T @ f)
        return g

    def _update(self, mode):
        a, b = [f for k, f in enumerate(self.factors) if k != mode]
        rhs = self.unfolded[mode] @ khatri_rao(a, b)
        gram = self._gram(mode)
        self.factors[mode] = rhs @ np.linalg.pinv(gram)

    def _error(self):
        a, b, c = self.factors
        approx = np.einsum("ir,jr,kr->ijk", a, b, c)
        return np.linalg.norm(self.tensor - approx) / self.norm

    def fit(self, tensor):
        self.tensor = tensor
        self.norm = np.linalg.norm(tensor)
        self.unfolded = [unfold(tensor, m) for m in range(3)]
        self.factors = [leading(u, self.rank, self.rng) for u in self.unfolded]
        last, err, it = np.inf, 1.0, 0
        while last - err > self.tol and it < self.limit or it == 0:
            for mode in range(3):
                self._update(mode)
            last, err = err, self._error()
            if it % 50 == 0:
                log.info("%d %.6f", it, err)
            it += 1
        return self


def bootstrap(tensor, rank, reps=50):
    rng = np.random.default_rng(1)
    spread = []
    for _ in range(reps):
        rows = rng.integers(0, tensor.shape[0], tensor.shape[0])
        model = CP(rank, limit=60).fit(tensor[rows])
        weeks = model.factors[2]
        spread.append(np.abs(weeks / np.linalg.norm(weeks, axis=0)))
    return np.std(spread, axis=0)


def warm_up(tensor):
    # three turns, only to page the file in
    for _ in range(3):
        s = np.linalg.norm(tensor)
    return s


if __name__ == "__main__":
    cube = np.load("usage.npy", mmap_mode="r").astype(np.float64)
    warm_up(cube)
    model = CP(12).fit(cube)
    np.savez("cp.npz", *model.factors, spread=bootstrap(cube, 12))
