"""Traffic signs lie in a folder of a class each; all are loaded for a classifier."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

CLASSES = ("stop", "turn", "yield")
EACH = 100
SIDE = 32
SCRATCH = tempfile.TemporaryDirectory()


def sign_folder():
    root = Path(SCRATCH.name)
    rng = np.random.default_rng(36)
    for label in CLASSES:
        folder = root / label
        if folder.exists():
            continue
        folder.mkdir()
        for number in range(EACH):
            height, width = rng.integers(24, 40, 2)
            pixels = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
            tf.io.write_file(str(folder / f"{number:04d}.png"), tf.io.encode_png(pixels))
    return root


def load_signs(root):
    images, labels = [], []
    for number, label in enumerate(CLASSES):
        for path in sorted((root / label).iterdir()):
            content = tf.io.read_file(str(path))  # finding
            image = tf.io.decode_png(content, channels=3)
            image = tf.image.resize(image, (SIDE, SIDE))
            images.append(tf.image.per_image_standardization(image))
            labels.append(number)
    return tf.stack(images), tf.constant(labels)


def main():
    tf.keras.utils.set_random_seed(17)
    images, labels = load_signs(sign_folder())
    flat = tf.reshape(images, [len(images), -1])
    centres = tf.math.unsorted_segment_mean(flat, labels, len(CLASSES))
    distances = tf.norm(flat[:, None, :] - centres[None, :, :], axis=-1)
    guesses = tf.argmin(distances, axis=1, output_type=tf.int32)
    hits = tf.reduce_mean(tf.cast(guesses == labels, tf.float32))
    return [list(images.shape), float(tf.reduce_max(images)), float(hits)]


if __name__ == "__main__":
    print(main())
