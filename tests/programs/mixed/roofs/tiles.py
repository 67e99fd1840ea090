"""Tiles of orthophotos and masks of their roofs."""

import random
from pathlib import Path

import numpy as np
import tensorflow as tf
from PIL import Image


def open_tile(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), dtype=np.float32) / 255.0


def load_split(root, split):
    files = sorted(Path(root, split, "image").glob("*.tif"))
    images = np.array([open_tile(path) for path in files])  # finding: read-per-item, whole-dataset-array
    masks = np.load(Path(root, split, "masks.npy"))
    return images, masks


def load_labels(root):
    """One small text file for each town."""
    return {path.stem: path.read_text().split() for path in Path(root).glob("towns/*.txt")}


def tile_generator(files, masks):
    def generate():
        order = list(range(len(files)))
        random.shuffle(order)
        for index in order:
            yield open_tile(files[index]), masks[index]

    return generate


def stream(root, split, batch=8):
    files = sorted(Path(root, split, "image").glob("*.tif"))
    masks = np.load(Path(root, split, "masks.npy"), mmap_mode="r")
    shapes = (tf.TensorSpec((512, 512, 3)), tf.TensorSpec((512, 512, 1)))
    dataset = tf.data.Dataset.from_generator(tile_generator(files, masks), output_signature=shapes)
    return dataset.batch(batch)
