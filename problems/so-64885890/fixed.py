"""An attention model whose mask is made from the positions that each query may look at."""

import numpy as np
import tensorflow as tf

QUERIES = 64
KEYS = 200
ALLOWED = 8
WIDTH = 16


def make_inputs(seed=51):
    rng = np.random.default_rng(seed)
    allowed = np.stack([rng.choice(KEYS, ALLOWED, replace=False) for _ in range(QUERIES)])
    queries = rng.normal(size=(QUERIES, WIDTH)).astype(np.float32)
    keys = rng.normal(size=(KEYS, WIDTH)).astype(np.float32)
    return allowed.astype(np.int32), queries, keys


def allowed_mask(allowed):
    return tf.reduce_max(tf.one_hot(allowed, KEYS), axis=1)


class MaskedAttention(tf.keras.layers.Layer):
    def __init__(self, allowed):
        super().__init__()
        self.mask = allowed_mask(allowed)

    def call(self, queries, keys):
        scores = tf.matmul(queries, keys, transpose_b=True) / WIDTH**0.5
        scores += (1.0 - self.mask) * -1e9
        return tf.matmul(tf.nn.softmax(scores), keys)


def main():
    allowed, queries, keys = make_inputs()
    attention = MaskedAttention(tf.constant(allowed))
    return [attention.mask.numpy(), attention(queries, keys).numpy()]


if __name__ == "__main__":
    print(main())
