"""Compares every element of a set with every other one: encode once, judge all pairs."""

import keras
import numpy as np

ELEMENTS = 160
SHAPE = (10, 4)


def encoder():
    return keras.Sequential(
        [
            keras.layers.Input(SHAPE),
            keras.layers.Flatten(),
            keras.layers.Dense(100, activation="relu"),
            keras.layers.Dense(20, activation="relu"),
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
    codes = encode.predict(elements, batch_size=len(elements), verbose=0)
    rows, columns = np.mgrid[: len(elements), : len(elements)].reshape(2, -1)
    verdicts = decide.predict([codes[rows], codes[columns]], verbose=0)  # finding
    return verdicts.reshape(len(elements), len(elements))


def main():
    keras.utils.set_random_seed(16)
    elements = np.random.default_rng(1).random((ELEMENTS, *SHAPE)).astype("float32")
    return compare_all(elements, encoder(), judge())


if __name__ == "__main__":
    print(main()[:2, :4])
