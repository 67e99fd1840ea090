"""Trains a small convolutional network with `fit`, as a Keras example does."""

import keras
import numpy as np
from keras import layers


def images(count, seed):
    """Images with a bright square whose place is the label, and noise."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 4, count)
    pictures = generator.random((count, 28, 28, 1), dtype="float32")
    for label in range(4):
        top, left = divmod(label, 2)
        pictures[labels == label, 14 * top : 14 * top + 7, 14 * left : 14 * left + 7] += 1
    return pictures, keras.utils.to_categorical(labels, 4)


def main():
    keras.utils.set_random_seed(0)
    pictures, labels = images(8192, 0)
    model = keras.Sequential(
        [
            keras.Input(shape=(28, 28, 1)),
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dropout(0.5),
            layers.Dense(4, activation="softmax"),
        ]
    )
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.fit(pictures, labels, batch_size=128, epochs=6, validation_split=0.1)
    print(model.evaluate(*images(1024, 1), verbose=0))


if __name__ == "__main__":
    main()
