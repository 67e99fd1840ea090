"""Trains apple counters on several replicas."""
import collections
import functools

import tensorflow as tf


class Metrics(collections.UserDict):
    def reset(self):
        for metric in self.values():
            metric.reset_state()


def replicated(strategy):
    """Runs a step on all replicas, and sums what they give."""

    def decorate(step):
        @functools.wraps(step)
        def run(*args):
            per_replica = strategy.run(step, args)
            return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)

        return run

    return decorate


class Engine:
    def __init__(self, strategy, build, rate=1e-3):
        self.strategy = strategy
        with strategy.scope():
            self.model = build()
            self.optimizer = tf.keras.optimizers.Adam(rate)
            self.metrics = Metrics(mae=tf.keras.metrics.MeanAbsoluteError())
        self._evaluate = tf.function(replicated(strategy)(self.evaluate_step))

    def train_step(self, images, counts):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(images, training=True)[:, 0] - counts) ** 2)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss

    def evaluate_step(self, images, counts):
        guess = self.model(images, training=False)[:, 0]
        self.metrics["mae"].update_state(counts, guess)
        return tf.reduce_sum(tf.abs(guess - counts))

    def batch(self, images, counts):
        step = tf.function(replicated(self.strategy)(self.train_step))  # finding: compiled-per-call
        return step(images, counts)

    def fit(self, training, validation, epochs, patience=5):
        best, waited = float("inf"), 0
        for epoch in range(epochs):
            for images, counts in self.strategy.experimental_distribute_dataset(training):
                loss = self.batch(images, counts)
            self.metrics.reset()
            for images, counts in self.strategy.experimental_distribute_dataset(validation):
                self._evaluate(images, counts)
            error = float(self.metrics["mae"].result())
            print(f"{epoch}: loss {float(loss):.3f} mae {error:.2f}")
            best, waited = (error, 0) if error < best else (best, waited + 1)
            if waited > patience:
                break


def pictures(pattern, counts, batch_size):
    def load(path, count):
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        return tf.image.resize(image, (256, 256)) / 255.0, count

    paths = tf.io.gfile.glob(pattern)
    data = tf.data.Dataset.from_tensor_slices((paths, counts)).map(load)
    return data.batch(batch_size).prefetch(tf.data.AUTOTUNE)
