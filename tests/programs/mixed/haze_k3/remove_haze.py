"""Removes haze from aerial photos with a small residual network."""
# Keras 3, any backend

import argparse
import glob
import os

import cv2
import keras
import numpy as np
from keras import layers

SIDE = 384


def load_folder(folder):
    names = sorted(glob.glob(os.path.join(folder, "*.png")))
    photos = np.zeros((len(names), SIDE, SIDE, 3), dtype="float32")
    for row, name in enumerate(names):
        photo = cv2.imread(name)  # finding: read-per-item, whole-dataset-array
        photos[row] = cv2.resize(photo, (SIDE, SIDE)) / 255.0
    return photos


def residual_block(x, filters):
    y = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    y = layers.Conv2D(filters, 3, padding="same")(y)
    return layers.Add()([x, y])


def build(depth=4):
    inputs = keras.Input((SIDE, SIDE, 3))
    x = layers.Conv2D(768, 3, padding="same", activation="relu")(inputs)  # finding: wide-early-conv
    x = layers.Conv2D(32, 1, activation="relu")(x)
    for _ in range(depth):
        x = residual_block(x, 32)
    outputs = layers.Conv2D(3, 3, padding="same", activation="sigmoid")(x)
    return keras.Model(inputs, outputs)


def psnr(truth, guess):
    error = np.mean((truth - guess) ** 2, axis=(1, 2, 3))
    return 10 * np.log10(1.0 / error)


def show(model, picture_file):
    photo = cv2.resize(cv2.imread(picture_file), (SIDE, SIDE)) / 255.0
    clear = model.predict(photo[np.newaxis])[0]
    cv2.imwrite(picture_file.replace(".png", "_clear.png"), clear * 255)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--sample")
    args = parser.parse_args()

    hazy = load_folder(os.path.join(args.root, "hazy"))
    clear = load_folder(os.path.join(args.root, "clear"))
    model = build()
    model.compile(optimizer=keras.optimizers.Adam(2e-4), loss="mae")
    model.fit(hazy, clear, batch_size=2, epochs=30, validation_split=0.1)
    guess = model.predict(hazy)  # finding: predict-batch-size
    print("PSNR", psnr(clear, guess).mean())
    model.save("haze.keras")
    if args.sample:
        show(model, args.sample)


if __name__ == "__main__":
    main()
