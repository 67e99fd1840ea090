"""Ratings given as (user, item) pairs become a dense matrix that a factor model is fitted to."""

import numpy as np
import tensorflow as tf

USERS = 120
ITEMS = 90
RATINGS = 600
RANK = 6


def make_ratings(seed=17):
    rng = np.random.default_rng(seed)
    cells = rng.choice(USERS * ITEMS, size=RATINGS, replace=False)
    positions = np.stack([cells // ITEMS, cells % ITEMS], axis=1)
    return positions.astype(np.int32), rng.uniform(1.0, 5.0, RATINGS).astype(np.float32)


def fill(positions, ratings):
    table = tf.zeros([USERS, ITEMS])
    known = tf.zeros([USERS, ITEMS])
    for number in range(positions.shape[0]):
        place = positions[number : number + 1]
        table = tf.tensor_scatter_nd_update(table, place, ratings[number : number + 1])  # finding
        known = tf.tensor_scatter_nd_update(known, place, tf.ones([1]))  # finding
    return table, known


@tf.function
def descend(users, items, table, known):
    error = known * (tf.matmul(users, items, transpose_b=True) - table)
    return (
        users - 0.005 * tf.matmul(error, items),
        items - 0.005 * tf.matmul(error, users, transpose_a=True),
    )


def main():
    positions, ratings = make_ratings()
    table, known = fill(tf.constant(positions), tf.constant(ratings))
    rng = np.random.default_rng(2)
    users = tf.constant(rng.normal(0.0, 0.3, (USERS, RANK)).astype(np.float32))
    items = tf.constant(rng.normal(0.0, 0.3, (ITEMS, RANK)).astype(np.float32))
    for _ in range(10):
        users, items = descend(users, items, table, known)
    return [table.numpy(), known.numpy(), float(tf.reduce_sum(users**2))]


if __name__ == "__main__":
    print(main())
