"""Inputs of the delay model: CSV shards and TFRecords of weather."""
import functools
import multiprocessing

import tensorflow as tf

COLUMNS = ["distance", "weight", "carrier", "weekday", "delay"]
DEFAULTS = [[0.0], [0.0], ["none"], [0], [0.0]]
WEATHER = {
    "wind": tf.FixedLenFeature([24], tf.float32),
    "rain": tf.FixedLenFeature([24], tf.float32),
    "delay": tf.FixedLenFeature([], tf.float32),
}


def _parse_line(line):
    features = dict(zip(COLUMNS, tf.decode_csv(line, DEFAULTS)))
    return features, features.pop("delay")


def _parse_weather(serialized):
    features = tf.parse_single_example(serialized, WEATHER)
    return features, features.pop("delay")


def _log_weight(features, label):
    features = dict(features, weight=tf.log1p(features["weight"]))
    return features, label


def make_input_fn(pattern, batch_size, training):
    def input_fn():
        files = tf.data.Dataset.list_files(pattern, shuffle=training)
        dataset = files.flat_map(lambda name: tf.data.TextLineDataset(name).skip(1))
        if training:
            dataset = dataset.shuffle(10000).repeat()
        dataset = dataset.map(_parse_line)  # finding: serial-map, map-before-batch
        dataset = dataset.map(_log_weight, num_parallel_calls=4)  # finding: map-before-batch
        return dataset.batch(batch_size).prefetch(1)

    return input_fn


def weather_input_fn(files, batch_size=128, epochs=None):
    parse = functools.partial(tf.contrib.data.map_and_batch, _parse_weather, batch_size)
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.apply(tf.contrib.data.parallel_interleave(tf.data.TFRecordDataset, cycle_length=8))
    dataset = dataset.repeat(epochs)
    return dataset.apply(parse(num_parallel_batches=multiprocessing.cpu_count())).prefetch(2)
