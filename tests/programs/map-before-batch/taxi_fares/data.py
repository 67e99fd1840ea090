"""Input pipelines over the CSV shards."""

import tensorflow as tf

from . import schema

AUTO = tf.data.AUTOTUNE


def parse_line(line):
    """One line of CSV as a dict of features and the fare."""
    values = tf.io.decode_csv(line, record_defaults=schema.DEFAULTS)
    row = dict(zip(schema.COLUMNS, values))
    fare = row.pop(schema.LABEL)
    return row, fare


def add_engineered(row, fare):
    row = dict(row)
    lon = row["dropoff_lon"] - row["pickup_lon"]
    lat = row["dropoff_lat"] - row["pickup_lat"]
    row["euclidean"] = tf.sqrt(lon * lon + lat * lat)
    row["is_night"] = tf.cast(row["pickup_hour"] < 6, tf.float32)
    row["weekday_hour"] = row["pickup_weekday"] * 24 + row["pickup_hour"]
    return row, fare


def plausible(row, fare):
    return tf.logical_and(fare > 2.5, row["passengers"] > 0)


def read_lines(pattern):
    files = tf.data.Dataset.list_files(pattern, shuffle=True)
    return files.interleave(
        lambda name: tf.data.TextLineDataset(name).skip(1),
        cycle_length=8,
        num_parallel_calls=AUTO,
    )


def training_data(config):
    lines = read_lines(config.train_pattern).shuffle(100_000)
    rows = lines.map(parse_line, num_parallel_calls=AUTO)  # finding: map-before-batch
    rows = rows.map(add_engineered, num_parallel_calls=AUTO)  # finding: map-before-batch
    return rows.batch(config.batch_size, drop_remainder=True).prefetch(AUTO)


def evaluation_data(config):
    lines = read_lines(config.eval_pattern)
    rows = lines.batch(config.batch_size).map(parse_line, num_parallel_calls=AUTO)
    return rows.map(add_engineered, num_parallel_calls=AUTO).prefetch(AUTO)


def cleaned_data(config):
    """For the report: rows that make no sense are dropped before batching."""
    rows = read_lines(config.train_pattern).map(parse_line, num_parallel_calls=AUTO)
    return rows.filter(plausible).batch(config.batch_size)
