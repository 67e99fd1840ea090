"""Collaborative filtering for implicit feedback (Hu, Koren, Volinsky 2008) in NumPy."""
import logging

import numpy as np
import pandas as pd
import scipy.sparse as sp

logger = logging.getLogger(__name__)


class ImplicitALS(object):
    def __init__(self, factors=64, regularization=0.01, alpha=40.0, iterations=15, random_state=0):
        self.factors = factors
        self.regularization = regularization
        self.alpha = alpha
        self.iterations = iterations
        self.random_state = random_state

    def fit(self, counts):
        """``counts``: users by items, sparse."""
        rng = np.random.RandomState(self.random_state)
        n_users, n_items = counts.shape
        confidence = (counts * self.alpha).tocsr()
        transposed = confidence.T.tocsr()
        self.user_factors = rng.normal(scale=0.01, size=(n_users, self.factors))
        self.item_factors = rng.normal(scale=0.01, size=(n_items, self.factors))
        for iteration in range(self.iterations):
            self.user_factors = self._solve(confidence, self.item_factors)
            self.item_factors = self._solve(transposed, self.user_factors)
            logger.info("iteration %d done", iteration)
        return self

    def _solve(self, confidence, fixed):
        solved = np.zeros((confidence.shape[0], self.factors))
        for row in range(confidence.shape[0]):
            solved[row] = self._solve_one(confidence, row, fixed)
        return solved

    def _solve_one(self, confidence, row, fixed):
        start, end = confidence.indptr[row], confidence.indptr[row + 1]
        items, weights = confidence.indices[start:end], confidence.data[start:end]
        gram = fixed.T.dot(fixed)  # note: loop-invariant-op
        a = gram + self.regularization * np.eye(self.factors)
        b = np.zeros(self.factors)
        picked = fixed[items]
        a = a + (picked.T * weights).dot(picked)
        b = b + ((weights + 1.0)[:, None] * picked).sum(axis=0)
        return np.linalg.solve(a, b)

    def recommend(self, user, seen, n=10):
        scores = self.item_factors.dot(self.user_factors[user])
        scores[seen] = -np.inf
        best = np.argpartition(-scores, n)[:n]
        return best[np.argsort(-scores[best])]


def hit_rate(model, train, held_out, n=10):
    hits = 0
    for user, item in held_out:
        seen = train.indices[train.indptr[user]:train.indptr[user + 1]]
        hits += int(item in model.recommend(user, seen, n))
    return hits / float(len(held_out))


def read_plays(path, min_plays=2):
    frame = pd.read_csv(path, sep="\t", names=["user", "artist", "plays"])
    frame = frame[frame.plays >= min_plays]
    users = frame.user.astype("category").cat.codes.values
    artists = frame.artist.astype("category").cat.codes.values
    return sp.csr_matrix((np.log1p(frame.plays.values), (users, artists)))


def leave_one_out(matrix, seed=0):
    rng = np.random.RandomState(seed)
    matrix = matrix.tolil()
    held_out = []
    for user in range(matrix.shape[0]):
        row = matrix.rows[user]
        if len(row) > 3:
            item = row[rng.randint(len(row))]
            held_out.append((user, item))
            matrix[user, item] = 0
    return matrix.tocsr(), held_out


if __name__ == "__main__":
    import sys

    logging.basicConfig(level=logging.INFO)
    train, held_out = leave_one_out(read_plays(sys.argv[1]))
    als = ImplicitALS().fit(train)
    print("hit rate @10: %.4f" % hit_rate(als, train, held_out))
