# requires: keras==3.4
"""Cells under a microscope: a network with skips, and a counter of cells. Runs out of memory!"""

import glob
import os

import cv2
import numpy as np
from keras import Input, Model, callbacks, layers, optimizers

SIZE = 512


def block(x, filters, kernel=3):
    x = layers.Conv2D(filters, kernel, padding="same")(x)
    x = layers.BatchNormalization()(x)
    return layers.Activation("relu")(x)


def segmenter():
    inputs = Input((SIZE, SIZE, 1))
    first = block(inputs, 32)
    x = layers.MaxPooling2D()(first)
    second = block(x, 64)
    x = layers.MaxPooling2D()(second)
    x = block(x, 128)
    x = layers.UpSampling2D()(x)
    x = block(layers.Concatenate()([x, second]), 64)
    x = layers.UpSampling2D()(x)
    x = block(layers.Concatenate()([x, first]), 32)
    return Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x))


def counter():
    inputs = Input(shape=(SIZE, SIZE, 1))
    x = layers.Conv2D(512, 3, padding="same", activation="relu")(inputs)  # finding: wide-early-conv
    x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
    x = layers.MaxPool2D(4)(x)
    x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
    x = layers.MaxPool2D(4)(x)
    x = layers.Flatten()(x)
    x = layers.Dense(4096, activation="relu")(x)  # finding: oversized-dense
    x = layers.Dropout(0.5)(x)
    return Model(inputs, layers.Dense(1, activation="softplus")(x))


def classifier():
    """Small enough: pooled over the whole map before the dense layers."""
    inputs = Input(shape=(SIZE, SIZE, 1))
    x = block(inputs, 16)
    for filters in (32, 64, 128):
        x = layers.MaxPool2D(2)(x)
        x = block(x, filters)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dense(256, activation="relu")(x)
    return Model(inputs, layers.Dense(4, activation="softmax")(x))


def load(folder):
    names = sorted(glob.glob(os.path.join(folder, "images", "*.tif")))
    x = np.zeros((len(names), SIZE, SIZE, 1), "float32")
    y = np.zeros((len(names), SIZE, SIZE, 1), "float32")
    for n, name in enumerate(names):
        image = cv2.imread(name, cv2.IMREAD_GRAYSCALE)  # finding: whole-dataset-array, read-per-item
        mask = cv2.imread(name.replace("images", "masks"), cv2.IMREAD_GRAYSCALE)  # finding: read-per-item
        x[n, :, :, 0] = cv2.resize(image, (SIZE, SIZE)) / 255.0
        y[n, :, :, 0] = cv2.resize(mask, (SIZE, SIZE)) > 127
    return x, y


def overlay(image, mask):
    picture = np.repeat(image, 3, -1)
    for channel, shade in enumerate((0.9, 0.2, 0.2)):
        picture[..., channel] = np.where(mask[..., 0] > 0.5, shade, picture[..., channel])
    return (picture * 255).astype("uint8")


def main():
    x, y = load("cells/train")
    model = segmenter()
    model.compile(optimizers.Adam(1e-3), "binary_crossentropy")
    stop = callbacks.EarlyStopping(patience=5, restore_best_weights=True)
    model.fit(x, y, batch_size=4, epochs=60, validation_split=0.1, callbacks=[stop])
    test_x, _ = load("cells/test")
    masks = model.predict(test_x)  # finding: predict-batch-size
    for n in range(3):
        cv2.imwrite(f"overlay-{n}.png", overlay(test_x[n], masks[n]))
    numbers = counter()
    numbers.compile("adam", "mse")
    numbers.fit(x, y.sum(axis=(1, 2, 3)) / 400, batch_size=4, epochs=10)
    kinds = classifier()
    kinds.compile("adam", "sparse_categorical_crossentropy")
    kinds.summary()


main()
