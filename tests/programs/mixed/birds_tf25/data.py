import functools
import os

import tensorflow as tf

from settings import Settings


def load(path, side):
    raw = tf.io.read_file(path)
    image = tf.io.decode_jpeg(raw, channels=3)
    return tf.image.resize(image, (side, side))


def label_of(path, names):
    part = tf.strings.split(path, os.sep)[-2]
    return tf.argmax(tf.cast(tf.equal(names, part), tf.int64))


def jitter(image, label, crop):
    image = tf.image.random_crop(image, (*crop, 3))
    return scale(tf.image.random_flip_left_right(image), label)


def scale(image, label):
    return tf.cast(image, tf.float32) / 127.5 - 1.0, label


class Birds:
    def __init__(self, settings: Settings, names):
        self.settings = settings
        self.names = tf.constant(names)

    def _files(self, split):
        pattern = os.path.join(self.settings.root, split, "*", "*.jpg")
        return tf.data.Dataset.list_files(pattern, seed=self.settings.seed)

    def _decoded(self, split):
        side = self.settings.side
        pair = lambda path: (load(path, side), label_of(path, self.names))
        if split == "train":
            return self._files(split).map(pair)  # finding: serial-map
        return self._files(split).map(pair, num_parallel_calls=tf.data.AUTOTUNE)

    def train(self):
        settings = self.settings
        ds = self._decoded("train")
        ds = ds.shuffle(1000)
        augment = functools.partial(jitter, crop=settings.crop)
        ds = ds.map(augment)  # finding: serial-map
        return ds.batch(settings.batch)  # finding: missing-prefetch

    def valid(self):
        ds = self._decoded("valid")
        ds = ds.map(lambda image, label: (tf.image.central_crop(image, 0.875), label), tf.data.AUTOTUNE)  # finding: map-before-batch
        ds = ds.batch(self.settings.batch)
        ds = ds.map(scale, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.cache().prefetch(2)

    def tiny(self):
        ds = tf.data.Dataset.from_tensor_slices([1, 2, 3])
        return [int(n) for n in ds.map(lambda n: n * 2)]
