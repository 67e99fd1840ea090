# requires: tensorflow==2.4.*
"""Patches of satellite scenes for a U-Net; the generator augments on the GPU in graph mode."""
import glob
import os
import sys

import numpy as np
import rasterio
import tensorflow as tf

PATCH = 256


def augment(x, y):
    both = tf.concat([x, y], axis=-1)
    both = tf.image.random_flip_left_right(both)
    both = tf.image.random_flip_up_down(both)
    x, y = both[..., :-1], both[..., -1:]
    x = tf.image.random_brightness(x, 0.1)
    x = tf.image.random_contrast(x, 0.9, 1.1)
    return x, y


def read_scene(folder):
    bands = []
    for name in ("B02", "B03", "B04", "B08"):
        with rasterio.open(os.path.join(folder, name + ".tif")) as src:
            bands.append(src.read(1).astype("float32") / 10000.0)
    with rasterio.open(os.path.join(folder, "mask.tif")) as src:
        mask = (src.read(1) > 0).astype("float32")
    return np.stack(bands, -1), mask[..., None]


def crop(image, mask, n, rng):
    h, w = mask.shape[:2]
    xs, ys = [], []
    for _ in range(n):
        i, j = rng.randint(h - PATCH), rng.randint(w - PATCH)
        xs.append(image[i : i + PATCH, j : j + PATCH])
        ys.append(mask[i : i + PATCH, j : j + PATCH])
    return np.stack(xs), np.stack(ys)


def patches(folders, batch, seed=0):
    rng = np.random.RandomState(seed)
    scenes = [read_scene(f) for f in folders]
    while True:
        image, mask = scenes[rng.randint(len(scenes))]
        x, y = crop(image, mask, batch, rng)
        x, y = tf.function(augment)(tf.constant(x), tf.constant(y))  # finding: compiled-per-call
        yield x, y


def conv(x, filters):
    for _ in range(2):
        x = tf.keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = tf.keras.layers.BatchNormalization()(x)
        x = tf.keras.layers.ReLU()(x)
    return x


def unet(channels=4, base=32, depth=4):
    inp = x = tf.keras.Input((PATCH, PATCH, channels))
    skips = []
    for d in range(depth):
        x = conv(x, base * 2**d)
        skips.append(x)
        x = tf.keras.layers.MaxPool2D()(x)
    x = conv(x, base * 2**depth)
    for d, skip in reversed(list(enumerate(skips))):
        x = tf.keras.layers.Conv2DTranspose(base * 2**d, 2, strides=2)(x)
        x = conv(tf.concat([x, skip], -1), base * 2**d)
    return tf.keras.Model(inp, tf.keras.layers.Conv2D(1, 1, activation="sigmoid")(x))


def main(root):
    folders = sorted(glob.glob(os.path.join(root, "*")))
    model = unet()
    model.compile("adam", "binary_crossentropy")
    model.fit(patches(folders[:-5], 16), steps_per_epoch=500, epochs=40, validation_data=patches(folders[-5:], 16), validation_steps=50)
    model.save("unet.h5")


if __name__ == "__main__":
    main(sys.argv[1])
