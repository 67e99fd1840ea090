"""Roofs are found in aerial images by a convolutional network."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Conv2D, Dense, GlobalMaxPooling2D, Input, MaxPooling2D

SIZE = 192
BATCH = 4


def make_tiles(count=8, seed=27):
    rng = np.random.default_rng(seed)
    tiles = rng.random((count, SIZE, SIZE, 3), dtype=np.float32)
    roofs = rng.integers(0, 2, count)
    for tile, roof in zip(tiles, roofs):
        if roof:
            row, column = rng.integers(0, SIZE - 24, 2)
            tile[row : row + 24, column : column + 24] = (0.8, 0.2, 0.1)
    return tiles, roofs.astype(np.float32)


def build_finder():
    model = tf.keras.Sequential()
    model.add(Input((SIZE, SIZE, 3)))
    model.add(Conv2D(256, 3, padding="same", activation="relu"))  # finding
    model.add(MaxPooling2D(4))
    model.add(Conv2D(24, 3, padding="same", activation="relu"))
    model.add(MaxPooling2D(4))
    model.add(Conv2D(32, 3, padding="same", activation="relu"))
    model.add(GlobalMaxPooling2D())
    model.add(Dense(1, activation="sigmoid"))
    model.compile("adam", "binary_crossentropy")
    return model


def main():
    tf.keras.utils.set_random_seed(2)
    tiles, roofs = make_tiles()
    finder = build_finder()
    history = finder.fit(tiles, roofs, batch_size=BATCH, epochs=1, verbose=0)
    answers = finder(tiles[:BATCH], training=False)
    return {"epochs": len(history.history["loss"]), "shape": list(answers.shape)}


if __name__ == "__main__":
    print(main())
