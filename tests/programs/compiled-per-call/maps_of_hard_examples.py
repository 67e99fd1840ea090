# requires: tensorflow==2.10.*
"""A callback that writes saliency maps of hard examples while the classifier trains."""
import os

import numpy as np
import tensorflow as tf


class Saliency(tf.keras.callbacks.Callback):
    def __init__(self, images, labels, folder, every=200):
        super().__init__()
        self.images = tf.constant(images)
        self.labels = tf.constant(labels)
        self.folder = folder
        self.every = every
        self.step = 0
        os.makedirs(folder, exist_ok=True)

    def maps(self, images, labels):
        @tf.function  # note: compiled-per-call
        def gradient(x, y):
            with tf.GradientTape() as tape:
                tape.watch(x)
                p = tf.gather(self.model(x, training=False), y, batch_dims=1)
            return tf.reduce_max(tf.abs(tape.gradient(p, x)), axis=-1)

        return gradient(images, labels)

    def on_train_batch_end(self, batch, logs=None):
        self.step += 1
        if self.step % self.every == 0:
            maps = self.maps(self.images, self.labels).numpy()
            maps /= maps.max(axis=(1, 2), keepdims=True) + 1e-9
            np.save(os.path.join(self.folder, "%06d.npy" % self.step), maps.astype(np.float16))


class Confidence(tf.keras.callbacks.Callback):
    """Mean confidence on a fixed batch after each step."""

    def __init__(self, x):
        super().__init__()
        self.x = tf.constant(x)
        self.history = []

    def on_train_batch_end(self, batch, logs=None):
        forward = tf.function(lambda x: tf.reduce_max(self.model(x, training=False), -1))  # finding: compiled-per-call
        self.history.append(float(tf.reduce_mean(forward(self.x))))


def build(shape, classes):
    return tf.keras.Sequential(
        [
            tf.keras.layers.InputLayer(shape),
            tf.keras.layers.Conv2D(64, 3, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(128, 3, activation="relu"),
            tf.keras.layers.GlobalMaxPooling2D(),
            tf.keras.layers.Dense(classes, activation="softmax"),
        ]
    )


def main():
    (x, y), (xt, yt) = tf.keras.datasets.cifar10.load_data()
    x, xt = x.astype("float32") / 255, xt.astype("float32") / 255
    model = build(x.shape[1:], 10)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    confidence = Confidence(xt[:256])
    model.fit(x, y, epochs=20, batch_size=128, callbacks=[Saliency(xt[:16], yt[:16, 0], "maps"), confidence])
    np.save("confidence.npy", np.array(confidence.history))


if __name__ == "__main__":
    main()
