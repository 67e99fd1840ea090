# requires: tensorflow==2.13.*
"""Picking arrivals in seismic traces: each trace is scaled by itself, jittered and cut."""

import numpy as np
import tensorflow as tf

WINDOW = 4000
SPEC = {
    "trace": tf.io.VarLenFeature(tf.float32),
    "arrival": tf.io.FixedLenFeature([], tf.int64),
    "distance": tf.io.FixedLenFeature([], tf.float32),
}


def parse(record):
    item = tf.io.parse_single_example(record, SPEC)
    return tf.sparse.to_dense(item["trace"]), tf.cast(item["arrival"], tf.int32)


def standardize(trace, arrival):
    trace = trace - tf.reduce_mean(trace)
    return trace / (tf.math.reduce_std(trace) + 1e-9), arrival


def cut(trace, arrival):
    start = tf.random.uniform([], tf.maximum(arrival - WINDOW + 200, 0), tf.maximum(arrival - 200, 1), tf.int32)
    return trace[start : start + WINDOW], arrival - start


def long_enough(trace, arrival):
    return tf.shape(trace)[0] == WINDOW


def target(traces, arrivals):
    grid = tf.range(WINDOW, dtype=tf.float32)[tf.newaxis]
    away = grid - tf.cast(arrivals, tf.float32)[:, tf.newaxis]
    return traces[..., tf.newaxis], tf.exp(-0.5 * (away / 10.0) ** 2)


def pipeline(files, batch_size):
    ds = tf.data.TFRecordDataset(files, num_parallel_reads=8).shuffle(5000)
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(standardize, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(cut, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.filter(long_enough).batch(batch_size)
    return ds.map(target, num_parallel_calls=tf.data.AUTOTUNE).prefetch(2)


def build():
    x = inputs = tf.keras.Input((WINDOW, 1))
    for width in (16, 32, 64):
        x = tf.keras.layers.Conv1D(width, 11, padding="same", activation="relu")(x)
    x = tf.keras.layers.Conv1D(1, 1, activation="sigmoid")(x)
    return tf.keras.Model(inputs, tf.keras.layers.Flatten()(x))


if __name__ == "__main__":
    files = np.sort(tf.io.gfile.glob("traces/*.tfrecord"))
    model = build()
    model.compile("adam", "binary_crossentropy")
    model.fit(pipeline(files[:-5], 64), validation_data=pipeline(files[-5:], 64), epochs=20)
