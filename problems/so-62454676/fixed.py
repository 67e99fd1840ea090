"""Segmentation of large aerial images with a fully convolutional network."""

import keras
import numpy as np

IMAGES = 32
SIDE = 256
BATCH = 1


def aerial_images():
    rng = np.random.default_rng(62)
    images = rng.random((IMAGES, SIDE, SIDE, 3), dtype="float32")
    masks = (images.mean(axis=3, keepdims=True) > 0.5).astype("float32")
    return images, masks


def segmenter():
    return keras.Sequential(
        [
            keras.layers.Input((SIDE, SIDE, 3)),
            keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
            keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
            keras.layers.Conv2D(1, 1, activation="sigmoid"),
        ]
    )


def main():
    keras.utils.set_random_seed(62)
    images, masks = aerial_images()
    model = segmenter()
    model.compile("adam", "binary_crossentropy")
    model.fit(images[:4], masks[:4], batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
    predicted = model.predict(images, batch_size=BATCH, verbose=0)
    return predicted.mean(axis=(1, 2, 3))


if __name__ == "__main__":
    print(main())
