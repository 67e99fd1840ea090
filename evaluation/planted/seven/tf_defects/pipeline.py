"""Synthetic surface-inspection images, stored as PNG bytes."""
import io

import numpy as np
import tensorflow as tf
from PIL import Image

SIZE, CLASSES = 64, 5


def make_pngs(n, seed):
    rng = np.random.default_rng(seed)
    blobs, labels = [], rng.integers(0, CLASSES, n)
    for y in labels:
        img = rng.normal(120, 25, (SIZE * 3, SIZE * 3, 3))
        img[y * 30: y * 30 + 30, 40:120] += 60
        buf = io.BytesIO()
        Image.fromarray(img.clip(0, 255).astype(np.uint8)).save(buf, "PNG", compress_level=1)
        blobs.append(buf.getvalue())
    return blobs, labels.astype(np.int64)


def _stream(blobs, labels):
    for blob, y in zip(blobs, labels):
        img = Image.open(io.BytesIO(blob)).resize((SIZE, SIZE), Image.LANCZOS)
        yield np.asarray(img, np.float64) / 255.0, y


def _equalize(img):
    img = img.numpy()
    for c in range(3):
        hist, edges = np.histogram(img[..., c], 256, (0, 1))
        cdf = hist.cumsum() / hist.sum()
        img[..., c] = np.interp(img[..., c].ravel(), edges[:-1], cdf).reshape(img.shape[:2])
    return img.astype(np.float32)


def _prepare(img, y):
    img = tf.py_function(_equalize, [img], tf.float32)
    return tf.ensure_shape(img, (SIZE, SIZE, 3)), y


def make_dataset(blobs, labels, batch, train):
    ds = tf.data.Dataset.from_generator(
        lambda: _stream(blobs, labels),
        output_signature=(tf.TensorSpec((SIZE, SIZE, 3), tf.float64), tf.TensorSpec((), tf.int64)))
    ds = ds.map(_prepare)
    if train:
        ds = ds.shuffle(4096)
        ds = ds.map(lambda x, y: (tf.image.random_flip_left_right(x), y))
    return ds.batch(batch)
