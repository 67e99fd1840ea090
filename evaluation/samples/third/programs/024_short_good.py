"""Rank the junctions of a street network by random-walk centrality.

Input is the edge list that our OSM export writes (CSV: from_node,to_node,metres,lanes,oneway);
output is a CSV of junction and score, most central first.
"""
import csv
import sys
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Street(NamedTuple):
    start: str
    end: str
    metres: float
    lanes: int
    oneway: bool


def read_streets(path):
    with open(path, newline="", encoding="utf-8") as fh:
        return [
            Street(
                r["from_node"],
                r["to_node"],
                max(float(r["metres"]), 1.0),
                int(r["lanes"]),
                r["oneway"] == "yes",
            )
            for r in csv.DictReader(fh)
        ]


def number_junctions(streets):
    names = sorted({s.start for s in streets} | {s.end for s in streets})
    return names, {name: i for i, name in enumerate(names)}


def conductance(street):
    """Wide and short streets draw more of the walkers."""
    return street.lanes / street.metres


def build_weights(streets, index):
    n = len(index)
    weights = np.zeros((n, n), dtype=np.float32)
    for street in streets:
        i, j = index[street.start], index[street.end]
        weights[i, j] = conductance(street)
        if not street.oneway:
            weights[j, i] = conductance(street)
    return jnp.asarray(weights)


@jax.jit
def transition(weights, damping):
    """Row-stochastic matrix; junctions without a way out jump anywhere."""
    n = weights.shape[0]
    out = weights.sum(axis=1, keepdims=True)
    steps = jnp.where(out > 0, weights / jnp.where(out > 0, out, 1.0), 1.0 / n)
    return damping * steps + (1.0 - damping) / n


@jax.jit
def stationary(matrix, tolerance=1e-7, most=500):
    n = matrix.shape[0]

    def unfinished(state):
        _, change, count = state
        return (change > tolerance) & (count < most)

    def walk(state):
        share, _, count = state
        moved = share @ matrix
        moved = moved / moved.sum()
        return moved, jnp.abs(moved - share).sum(), count + 1

    start = (jnp.full((n,), 1.0 / n), jnp.inf, 0)
    share, _, count = jax.lax.while_loop(unfinished, walk, start)
    return share, count


def main(edges_csv, scores_csv, damping=0.9):
    streets = read_streets(edges_csv)
    names, index = number_junctions(streets)
    matrix = transition(build_weights(streets, index), damping)
    share, count = stationary(matrix)
    share = np.asarray(share)
    print(f"{len(names)} junctions, {len(streets)} streets, {int(count)} rounds")

    with open(scores_csv, "w", newline="", encoding="utf-8") as fh:
        writer = csv.writer(fh)
        writer.writerow(["junction", "score"])
        for i in np.argsort(-share):
            writer.writerow([names[i], f"{share[i]:.8f}"])


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: centrality.py EDGES.csv SCORES.csv [DAMPING]")
    main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:]))
