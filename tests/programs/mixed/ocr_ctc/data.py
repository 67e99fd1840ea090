"""Word images and their labels as a tf.data pipeline."""
from pathlib import Path
from typing import Callable

import tensorflow as tf

CHARS = tf.constant(list("abcdefghijklmnopqrstuvwxyz"))


def make_table():
    init = tf.lookup.KeyValueTensorInitializer(CHARS, tf.range(26, dtype=tf.int64))
    return tf.lookup.StaticVocabularyTable(init, 1)


class Words:
    def __init__(self, root: Path, height: int = 32):
        self.root = root
        self.height = height
        self.table = make_table()
        self.augment: Callable | None = None

    def _read(self, path, text):
        image = tf.io.decode_png(tf.io.read_file(path), channels=1)
        image = tf.image.resize(image, (self.height, 128))
        return image, text

    def _encode(self, image, text):
        ids = self.table.lookup(tf.strings.unicode_split(text, "UTF-8"))
        return image, ids

    def _noise(self, image, ids):
        return image + tf.random.normal(tf.shape(image), stddev=4.0), ids

    def dataset(self, batch_size, training):
        pairs = [line.split("\t") for line in (self.root / "labels.tsv").read_text().splitlines()]
        paths, texts = zip(*pairs)
        ds = tf.data.Dataset.from_tensor_slices((list(paths), list(texts)))
        ds = ds.map(self._read, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.map(self._encode)  # finding: serial-map
        if training:
            ds = ds.shuffle(2048)
            ds = ds.map(self._noise)  # finding: serial-map
        ds = ds.padded_batch(batch_size)
        return ds.prefetch(tf.data.AUTOTUNE)

    def with_python(self, batch_size, function):
        ds = tf.data.Dataset.list_files(str(self.root / "*.png"))
        ds = ds.map(lambda p: tf.py_function(function, [p], tf.float32))  # finding: serial-map
        return ds.batch(batch_size).prefetch(2)

    def sizes(self):
        ds = tf.data.Dataset.list_files(str(self.root / "*.png"))
        return ds.map(lambda p: tf.shape(tf.io.decode_png(tf.io.read_file(p))))
