import argparse

import numpy as np
import tensorflow as tf

from .ranker import CosineRanker, DebiasedRanker


def user_batches(users, held_out, history, size=512):
    for lo in range(0, len(users), size):
        hi = min(lo + size, len(users))
        rows = [(i - lo, j) for i in range(lo, hi) for j in history[i]]
        yield users[lo:hi], held_out[lo:hi], np.array(rows, np.int64)


def recall(ranker, users, held_out, history, k=100):
    hits = n = 0
    for q, target, seen in user_batches(users, held_out, history):
        best = ranker.top(tf.constant(q), tf.constant(seen), k)
        hits += int(tf.reduce_sum(tf.cast(best == target[:, None], tf.int32)))
        n += len(q)
    return hits / n


def cosine_recall(items, pop, users, held_out, history, k=100):
    ranker = CosineRanker(items, pop)
    hits = 0
    for q, target, seen in user_batches(users, held_out, history):
        best = ranker.top(tf.constant(q), tf.constant(seen), k)
        hits += int(tf.reduce_sum(tf.cast(best == target[:, None], tf.int32)))
    return hits / len(users)


def sweep(items, pop, users, held_out, history):
    ranker = DebiasedRanker(items, pop)
    table = {}
    for alpha in (0.0, 0.01, 0.03):
        ranker.refresh(alpha)
        table[alpha] = recall(ranker, users, held_out, history)
    return table


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("npz")
    ap.add_argument("--sweep", action="store_true")
    ns = ap.parse_args()
    z = np.load(ns.npz, allow_pickle=True)
    pack = (z["items"], z["pop"], z["users"], z["held_out"].astype(np.int32), z["history"])
    print(sweep(*pack) if ns.sweep else cosine_recall(*pack))


if __name__ == "__main__":
    main()
