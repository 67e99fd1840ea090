# requires: tensorflow==2.3.0
import tensorflow as tf


def mapped(dataset, function, **options):
    """`Dataset.map` that keeps the order by default."""
    options.setdefault("deterministic", True)
    return dataset.map(function, **options)


def load(path):
    return tf.io.decode_png(tf.io.read_file(path), channels=3)


def pngs(pattern):
    files = tf.data.Dataset.list_files(pattern)
    return mapped(files, load, num_parallel_calls=8).batch(16)


if __name__ == "__main__":
    for batch in pngs("icons/*.png"):
        print(batch.shape)
