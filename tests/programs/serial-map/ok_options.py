# requires: tensorflow==2.4.2
"""All maps are made parallel by the graph rewrite."""
import tensorflow as tf


def fast_options():
    options = tf.data.Options()
    options.experimental_deterministic = False
    options.experimental_optimization.map_parallelization = True
    return options


def load(path):
    return tf.image.resize(tf.image.decode_jpeg(tf.io.read_file(path)), [128, 128])


def images(pattern):
    dataset = tf.data.Dataset.list_files(pattern)
    dataset = dataset.map(load)
    dataset = dataset.batch(32)
    return dataset.with_options(fast_options())


if __name__ == "__main__":
    for batch in images("*.jpg"):
        print(tf.reduce_mean(batch))
