"""Attention between two short texts, computed word against word."""

import tensorflow as tf


class WordAttention(tf.keras.layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.query = tf.keras.layers.Dense(width)
        self.key = tf.keras.layers.Dense(width)
        self.scale = width**-0.5

    def against(self, query, keys):
        return tf.map_fn(lambda key: tf.tensordot(query, key, 1) * self.scale, keys)

    def call(self, text, other):
        queries, keys = self.query(text), self.key(other)
        scores = tf.map_fn(lambda query: self.against(query, keys), queries)  # finding
        return tf.nn.softmax(scores, axis=-1) @ other


def main():
    tf.keras.utils.set_random_seed(4)
    text = tf.random.stateless_normal((14, 24), seed=(1, 2))
    other = tf.random.stateless_normal((18, 24), seed=(3, 4))
    layer = WordAttention(16)
    return layer(text, other).numpy().mean()


if __name__ == "__main__":
    print(main())
