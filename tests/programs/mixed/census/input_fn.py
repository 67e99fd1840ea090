"""Input functions of the census estimator."""
import functools

import tensorflow as tf

COLUMNS = ["age", "workclass", "education_num", "hours", "income"]
DEFAULTS = [[0.0], [""], [0.0], [0.0], [""]]


def _parse_line(line):
    fields = tf.decode_csv(line, record_defaults=DEFAULTS)
    features = dict(zip(COLUMNS, fields))
    label = tf.equal(features.pop("income"), ">50K")
    return features, label


def _parse_record(serialized, spec):
    example = tf.parse_single_example(serialized, spec)
    label = example.pop("label")
    return example, label


def csv_input(paths, epochs, batch_size):
    ds = tf.data.TextLineDataset(paths)
    ds = ds.skip(1)
    ds = ds.map(_parse_line)  # finding: map-before-batch, serial-map
    ds = ds.shuffle(10000).repeat(epochs)
    ds = ds.batch(batch_size)
    return ds.prefetch(1)


def record_input(pattern, spec, batch_size, training):
    files = tf.data.Dataset.list_files(pattern)
    ds = files.interleave(tf.data.TFRecordDataset, cycle_length=8)  # finding: serial-map
    if training:
        ds = ds.shuffle(4096).repeat()
    ds = ds.map(functools.partial(_parse_record, spec=spec), num_parallel_calls=8)  # finding: map-before-batch
    return ds.batch(batch_size).prefetch(2)


def record_input_fast(pattern, spec, batch_size):
    files = tf.data.Dataset.list_files(pattern)
    ds = files.apply(
        tf.data.experimental.parallel_interleave(tf.data.TFRecordDataset, cycle_length=8)
    )
    ds = ds.shuffle(4096).repeat()
    ds = ds.batch(batch_size)
    ds = ds.map(lambda rows: tf.parse_example(rows, spec), 8)
    return ds.prefetch(2)
