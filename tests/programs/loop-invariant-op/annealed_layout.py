"""Places stations on a map by simulated annealing; the stress is a closure."""
import json
import sys

import numpy as np


def shortest_paths(adjacency):
    dist = np.where(adjacency > 0, adjacency, np.inf)
    np.fill_diagonal(dist, 0.0)
    for k in range(len(dist)):
        dist = np.minimum(dist, dist[:, k, None] + dist[None, k, :])
    return dist


def make_stress(adjacency, weight):
    def stress(places):
        wanted = shortest_paths(adjacency)  # note: loop-invariant-op
        apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(-1))
        gap = np.triu(wanted - apart, 1)
        return weight * (gap ** 2).sum()

    return stress


def anneal(cost, start, rng, temperature=1.0, cooling=0.999, steps=20000):
    here, level = start, cost(start)
    best, lowest = here, level
    for _ in range(steps):
        other = here.copy()
        i = rng.integers(len(other))
        other[i] += rng.normal(scale=temperature, size=2)
        new = cost(other)
        if new < level or rng.random() < np.exp((level - new) / temperature):
            here, level = other, new
            if level < lowest:
                best, lowest = here, level
        temperature *= cooling
    return best, lowest


def main(path):
    with open(path) as f:
        adjacency = np.array(json.load(f)["lengths"], dtype=float)
    rng = np.random.default_rng(3)
    stress = make_stress(adjacency, 1.0 / len(adjacency) ** 2)
    places, value = anneal(stress, rng.normal(size=(len(adjacency), 2)), rng)
    print(value)
    np.savetxt("places.txt", places)


if __name__ == "__main__":
    main(sys.argv[1])
