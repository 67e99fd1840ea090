"""Where the pictures come from."""
import tensorflow as tf


def pictures(pattern):
    return tf.data.Dataset.list_files(pattern)


def decode(path):
    image = tf.io.decode_png(tf.io.read_file(path), channels=1)
    text = tf.strings.split(path, "/")[-1]
    return image, tf.strings.regex_replace(text, r"\.png$", "")
