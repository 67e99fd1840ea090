"""Recommends a few films to each viewer."""

import jax
import jax.numpy as jnp


class Recommender:
    def __init__(self, key, viewers, films, rank):
        left, right = jax.random.split(key)
        self.viewers = jax.random.normal(left, (viewers, rank))
        self.films = jax.random.normal(right, (films, rank))

    def best_of(self, scores):
        return jax.lax.top_k(scores, 5)[1]

    def recommend(self, viewers):
        scores = self.viewers[viewers] @ self.films.T
        return jax.lax.map(self.best_of, scores)  # finding


def main():
    recommender = Recommender(jax.random.key(8), viewers=200, films=400, rank=12)
    lists = recommender.recommend(jnp.arange(0, 200, 2))
    return lists.sum()


if __name__ == "__main__":
    print(main())
