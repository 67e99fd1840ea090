import os

import tensorflow as tf


class ShellReader(object):
    def __init__(self, root, batch_size):
        self.root = root
        self.batch_size = batch_size

    def _load(self, path):
        label = tf.strings.split(path, os.sep)[-2]
        picture = tf.image.decode_png(tf.io.read_file(path), channels=3)
        return tf.image.resize(picture, [128, 128]) / 255.0, tf.strings.to_number(label, tf.int32)

    def training(self):
        files = tf.data.Dataset.list_files(os.path.join(self.root, "train/*/*.png"))
        examples = files.map(self._load)  # finding: serial-map
        return examples.shuffle(512).batch(self.batch_size)  # finding: missing-prefetch

    def validation(self):
        files = tf.data.Dataset.list_files(os.path.join(self.root, "valid/*/*.png"), shuffle=False)
        examples = files.map(self._load, num_parallel_calls=tf.data.experimental.AUTOTUNE)
        return examples.batch(self.batch_size).prefetch(tf.data.experimental.AUTOTUNE)


def count(dataset):
    images = 0
    for picture, label in dataset:  # finding: record-count
        images += 1
    return images
