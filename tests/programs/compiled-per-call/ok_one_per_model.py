# requires: tensorflow==2.16.1
"""An ensemble: every member needs a step of its own, used for all its epochs."""
import tensorflow as tf


class Member:
    def __init__(self, width, seed):
        tf.keras.utils.set_random_seed(seed)
        self.model = tf.keras.Sequential(
            [tf.keras.layers.Dense(width, "relu"), tf.keras.layers.Dense(1)]
        )
        self.optimizer = tf.keras.optimizers.Adam()
        self.step = tf.function(self._step)

    def _step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(x, training=True) - y))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        return loss


def main(dataset, epochs=40):
    members = [Member(64, seed) for seed in (1, 2, 3)]
    for _ in range(epochs):
        for x, y in dataset:
            for member in members:
                member.step(x, y)
    return members
