"""Ages are read off scanned forms; inputs are moved to tensors before Keras sees them."""

import numpy as np
import tensorflow as tf


class Forms:
    """All forms of the archive, as tensors."""

    def __init__(self, pixels, ages):
        self.pixels = tf.convert_to_tensor(pixels, dtype=tf.float32)
        self.ages = tf.convert_to_tensor(ages, dtype=tf.float32)


class AgeReader:
    def __init__(self, edge):
        image = tf.keras.Input((edge, edge, 1))
        maps = tf.keras.layers.Conv2D(4, 3, strides=2, activation="relu")(image)
        age = tf.keras.layers.Dense(1)(tf.keras.layers.Flatten()(maps))
        self.network = tf.keras.Model(image, age)
        self.network.compile(loss="mae", optimizer="adam")

    def learn(self, forms, epochs):
        return self.network.fit(x=forms.pixels, y=forms.ages, epochs=epochs, verbose=0)  # finding


def main():
    tf.keras.utils.set_random_seed(6)
    rng = np.random.default_rng(6)
    forms = Forms(rng.random((256, 28, 28, 1)), rng.integers(1, 99, 256))
    return AgeReader(28).learn(forms, epochs=2).history["loss"]


if __name__ == "__main__":
    print(main())
