"""Records of plots of grassland: spectra and the species that were counted."""

import tensorflow as tf

SPEC = {
    "spectrum": tf.io.FixedLenFeature([210], tf.float32),
    "counts": tf.io.VarLenFeature(tf.int64),
    "photo": tf.io.FixedLenFeature([], tf.string),
}


def shards(pattern):
    return tf.data.Dataset.list_files(pattern, shuffle=True)


def raw(pattern):
    return shards(pattern).interleave(
        tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE
    )


def length(pattern):
    """Number of records, for the progress bar."""
    number = 0
    for _ in raw(pattern):  # finding: record-count
        number += 1
    return number


def decode(record):
    example = tf.io.parse_single_example(record, SPEC)
    photo = tf.image.resize(tf.io.decode_jpeg(example["photo"], channels=3), (160, 160))
    counts = tf.sparse.to_dense(example["counts"])
    return {"photo": photo / 127.5 - 1.0, "spectrum": example["spectrum"]}, tf.cast(tf.size(counts), tf.float32)


def training(pattern, batch):
    data = raw(pattern).shuffle(4_096)
    data = data.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    return data.batch(batch)


def validation(pattern, batch):
    data = raw(pattern).map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    return data.batch(batch).prefetch(2)


def first_few(pattern):
    """Labels of a handful of records, to see whether the shards are sane."""
    labels = []
    for _, label in raw(pattern).map(decode).take(5):
        labels.append(float(label))
    return labels
