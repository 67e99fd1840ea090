import os

import tensorflow as tf


def read_picture(session, path, size):
    raw = tf.read_file(path)  # finding: graph-growth
    decoded = tf.image.decode_jpeg(raw, channels=3)  # finding: graph-growth
    resized = tf.image.resize_images(decoded, size)  # finding: graph-growth
    return session.run(tf.image.per_image_standardization(resized))  # finding: graph-growth


class Decoder:
    """Decodes pictures with operations that are made once."""

    def __init__(self, size):
        self.raw = tf.placeholder(tf.string, [])
        decoded = tf.image.decode_jpeg(self.raw, channels=3)
        self.picture = tf.image.resize_images(decoded, size)

    def __call__(self, session, path):
        with open(path, "rb") as stream:
            return session.run(self.picture, {self.raw: stream.read()})


def folder_of(root, split):
    for folder, _, names in os.walk(os.path.join(root, split)):
        for name in names:
            if name.endswith(".jpg"):
                yield os.path.join(folder, name), os.path.basename(folder)
