"""One random move for every board, where each board offers a different number of moves."""

import numpy as np
import tensorflow as tf

BOARDS = 400
ROUNDS = 3


def possible_moves(seed=14):
    rng = np.random.default_rng(seed)
    return tf.constant(rng.integers(2, 60, BOARDS).astype(np.int32))


def draw_moves(limits):
    moves = [tf.random.uniform([], maxval=limit, dtype=tf.int32) for limit in limits]  # finding
    return tf.stack(moves)


def play(limits):
    chosen = []
    for _ in range(ROUNDS):
        moves = draw_moves(limits)
        tf.debugging.assert_less(moves, limits)
        tf.debugging.assert_non_negative(moves)
        chosen.append(moves)
        limits = tf.maximum(limits - 1, 1)
    return tf.stack(chosen)


def main():
    tf.random.set_seed(77)
    limits = possible_moves()
    chosen = play(limits)
    share = tf.cast(chosen[0], tf.float32) / tf.cast(limits - 1, tf.float32)
    return [list(chosen.shape), chosen.dtype.name, float(tf.reduce_mean(share))]


if __name__ == "__main__":
    print(main())
