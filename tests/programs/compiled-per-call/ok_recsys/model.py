import tensorflow as tf


class DeepFM(tf.keras.Model):
    def __init__(self, vocab, dim, hidden):
        super().__init__()
        self.first = tf.keras.layers.Embedding(vocab, 1)
        self.embed = tf.keras.layers.Embedding(vocab, dim)
        self.tower = tf.keras.Sequential(
            [tf.keras.layers.Dense(h, activation="relu") for h in hidden]
            + [tf.keras.layers.Dense(1)]
        )

    def call(self, ids, training=False):
        linear = tf.reduce_sum(self.first(ids), axis=1)
        e = self.embed(ids)
        square_of_sum = tf.square(tf.reduce_sum(e, axis=1))
        sum_of_square = tf.reduce_sum(tf.square(e), axis=1)
        fm = 0.5 * tf.reduce_sum(square_of_sum - sum_of_square, axis=1, keepdims=True)
        deep = self.tower(tf.reshape(e, [tf.shape(e)[0], -1]), training=training)
        return linear + fm + deep
