# requires: tensorflow==2.4.*
"""Limit order books in records: a parser made by a factory, label smoothing in a second map."""
import os

import tensorflow as tf

LEVELS, STEPS = 10, 100


def make_parser(levels, steps):
    spec = {
        "book": tf.io.FixedLenFeature([steps, levels * 4], tf.float32),
        "move": tf.io.FixedLenFeature([], tf.int64),
    }

    def parse(record):
        example = tf.io.parse_single_example(record, spec)
        book = example["book"]
        book = (book - tf.reduce_mean(book, axis=0, keepdims=True)) / 0.05
        return tf.expand_dims(book, -1), example["move"] + 1

    return parse


def smooth(book, move):
    return book, tf.one_hot(move, 3) * 0.9 + 0.1 / 3


def dataset(folder, training, batch_size=128):
    files = sorted(tf.io.gfile.glob(os.path.join(folder, "*.tfrecord")))
    ds = tf.data.TFRecordDataset(files, compression_type="GZIP", num_parallel_reads=4)
    ds = ds.map(make_parser(LEVELS, STEPS), num_parallel_calls=8)  # finding: map-before-batch
    if training:
        ds = ds.shuffle(50000).repeat()
        ds = ds.map(smooth, num_parallel_calls=8)  # finding: map-before-batch
    else:
        ds = ds.map(lambda b, m: (b, tf.one_hot(m, 3)), num_parallel_calls=8)  # finding: map-before-batch
    return ds.batch(batch_size, drop_remainder=True).prefetch(4)


def deeplob():
    inputs = tf.keras.Input((STEPS, LEVELS * 4, 1))
    x = inputs
    for _ in range(2):
        x = tf.keras.layers.Conv2D(16, (1, 2), strides=(1, 2), activation="relu")(x)
        x = tf.keras.layers.Conv2D(16, (4, 1), padding="same", activation="relu")(x)
    x = tf.keras.layers.Conv2D(16, (1, LEVELS), activation="relu")(x)
    x = tf.keras.layers.Reshape((STEPS, 16))(x)
    x = tf.keras.layers.LSTM(64)(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(3, activation="softmax")(x))


if __name__ == "__main__":
    model = deeplob()
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    model.fit(dataset("books/train", True), steps_per_epoch=3000, epochs=30,
              validation_data=dataset("books/valid", False))
