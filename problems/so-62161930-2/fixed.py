"""Judges every pair of a set of sequences with a siamese network."""

import keras
import numpy as np

ELEMENTS = 160
SHAPE = (48, 16)


def encoder():
    return keras.Sequential(
        [
            keras.layers.Input(SHAPE),
            keras.layers.Conv1D(64, 5, activation="relu"),
            keras.layers.Conv1D(64, 5, activation="relu"),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(10),
        ]
    )


def judge():
    left = keras.Input((10,))
    right = keras.Input((10,))
    difference = keras.layers.Subtract()([left, right])
    hidden = keras.layers.Dense(20, activation="relu")(difference)
    return keras.Model([left, right], keras.layers.Dense(1, activation="sigmoid")(hidden))


def compare_all(elements, encode, decide):
    rows, columns = np.mgrid[: len(elements), : len(elements)].reshape(2, -1)
    codes = encode.predict(elements, batch_size=1600, verbose=0)
    verdicts = decide.predict([codes[rows], codes[columns]], batch_size=1600, verbose=0)
    return verdicts.reshape(len(elements), len(elements))


def main():
    keras.utils.set_random_seed(16)
    elements = np.random.default_rng(1).random((ELEMENTS, *SHAPE)).astype("float32")
    return compare_all(elements, encoder(), judge())


if __name__ == "__main__":
    print(main()[:2, :4])
