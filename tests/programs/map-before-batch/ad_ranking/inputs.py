"""Input functions for the Estimator, for both formats."""
import os

import tensorflow as tf

from parsing import ExampleParser, parse_csv

THREADS = int(os.environ.get("INPUT_THREADS", "8"))


def _shuffled(dataset, training):
    if not training:
        return dataset
    return dataset.apply(tf.data.experimental.shuffle_and_repeat(50000))


def _batched(dataset, batch_size):
    return dataset.batch(batch_size).prefetch(4)


def csv_input_fn(files, batch_size, training=True):
    def input_fn():
        dataset = tf.data.TextLineDataset(files).skip(1)
        dataset = _shuffled(dataset, training)
        dataset = dataset.map(parse_csv, num_parallel_calls=THREADS)  # finding: map-before-batch
        return _batched(dataset, batch_size)

    return input_fn


def example_input_fn(files, batch_size, training=True):
    parser = ExampleParser()

    def input_fn():
        dataset = tf.data.TFRecordDataset(files, num_parallel_reads=THREADS)
        dataset = _shuffled(dataset, training)
        dataset = dataset.map(parser, num_parallel_calls=THREADS)  # finding: map-before-batch
        return _batched(dataset, batch_size)

    return input_fn


INPUTS = {".csv": csv_input_fn, ".tfrecord": example_input_fn}


def input_fn_for(files, batch_size, training):
    extension = os.path.splitext(files[0])[1]
    return INPUTS[extension](files, batch_size, training)
