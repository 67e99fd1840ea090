"""Trains with a loop of its own, as TensorFlow's advanced quickstart does."""

import numpy as np
import tensorflow as tf


def images(count, seed):
    """Images with a bright square whose place is the label, and noise."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 4, count)
    pictures = generator.random((count, 28, 28, 1), dtype="float32")
    for label in range(4):
        top, left = divmod(label, 2)
        pictures[labels == label, 14 * top : 14 * top + 7, 14 * left : 14 * left + 7] += 1
    return pictures, labels


class Network(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.convolution = tf.keras.layers.Conv2D(16, 3, activation="relu")
        self.pooling = tf.keras.layers.MaxPooling2D(2)
        self.second = tf.keras.layers.Conv2D(32, 3, activation="relu")
        self.flatten = tf.keras.layers.Flatten()
        self.dense = tf.keras.layers.Dense(4)

    def call(self, pictures):
        found = self.second(self.pooling(self.convolution(pictures)))
        return self.dense(self.flatten(self.pooling(found)))


def main():
    tf.random.set_seed(0)
    training = tf.data.Dataset.from_tensor_slices(images(8192, 0))
    training = training.shuffle(8192).batch(64).prefetch(tf.data.AUTOTUNE)
    testing = tf.data.Dataset.from_tensor_slices(images(1024, 1)).batch(128)
    testing = testing.prefetch(tf.data.AUTOTUNE)
    model = Network()
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam()
    mean = tf.keras.metrics.Mean()
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def train_step(pictures, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(pictures, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        mean(loss)

    @tf.function
    def test_step(pictures, labels):
        accuracy(labels, model(pictures, training=False))

    for epoch in range(6):
        mean.reset_state()
        accuracy.reset_state()
        for pictures, labels in training:
            train_step(pictures, labels)
        for pictures, labels in testing:
            test_step(pictures, labels)
        print(f"epoch {epoch}: loss {mean.result():.4f}, right {accuracy.result():.3f}")


if __name__ == "__main__":
    main()
