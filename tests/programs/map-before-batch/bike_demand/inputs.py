"""Rows of the rental log, as one vector of features each."""

import math

import numpy as np
import tensorflow as tf

from settings import COLUMNS


def statistics(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table.mean(axis=0).astype("float32"), table.std(axis=0).astype("float32")


def parse(line):
    values = tf.io.decode_csv(line, [[0.0]] * len(COLUMNS))
    return {name: value for name, value in zip(COLUMNS, values)}


def cyclic(value, period):
    angle = value * (2 * math.pi / period)
    return [tf.sin(angle), tf.cos(angle)]


def vector(row):
    features = cyclic(row["hour"], 24.0) + cyclic(row["season"], 4.0)
    features += [row["temp"], row["humidity"], row["wind"], row["temp"] * row["humidity"]]
    features += [row[name] for name in ("holiday", "workday", "weather")]
    return tf.stack(features, axis=-1), tf.math.log1p(row["count"])


def make_scaler(mean, std):
    def scale(features, target):
        return (features - mean) / std, target

    return scale


def batches(settings, training=True):
    rows = tf.data.TextLineDataset(settings.csv).skip(1)
    if training:
        rows = rows.shuffle(settings.shuffle)
    rows = rows.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    vectors = rows.map(vector, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    return vectors.batch(settings.batch_size, drop_remainder=training).prefetch(2)


def scaled(settings, mean, std):
    return batches(settings).map(make_scaler(mean, std), num_parallel_calls=tf.data.AUTOTUNE)
