"""Feeds faces from a storage over the network to a model, with the Dataset API."""

import tempfile
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

FACES = 96
HEIGHT, WIDTH = 54, 44
BATCH = 16
LATENCY = 0.02
READERS = 8


def write_faces(folder):
    rng = np.random.default_rng(49)
    for number in range(FACES):
        face = rng.integers(0, 256, size=(HEIGHT, WIDTH, 3), dtype="uint8")
        face.tofile(Path(folder) / f"{number:03d}.face")
    return sorted(str(path) for path in Path(folder).iterdir())


def fetch(path):
    time.sleep(LATENCY)
    return Path(path.decode()).read_bytes()


def load_face(path):
    content = tf.compat.v1.py_func(fetch, [path], tf.string)
    pixels = tf.io.decode_raw(content, tf.uint8)
    return tf.cast(tf.reshape(pixels, (HEIGHT, WIDTH, 3)), tf.float32) / 127.5 - 1.0


def input_pipeline(paths):
    dataset = tf.compat.v1.data.Dataset.from_tensor_slices(paths)
    dataset = dataset.map(load_face, num_parallel_calls=READERS)
    dataset = dataset.batch(BATCH).prefetch(1)
    options = tf.data.Options()
    options.threading.private_threadpool_size = READERS
    dataset = dataset.with_options(options)
    return tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()


def main():
    with tempfile.TemporaryDirectory() as folder:
        faces = input_pipeline(write_faces(folder))
        summary = tf.reduce_mean(faces, axis=(1, 2))
        with tf.compat.v1.Session() as session:
            return [session.run(summary) for _ in range(FACES // BATCH)]


if __name__ == "__main__":
    print(main()[0][:3])
