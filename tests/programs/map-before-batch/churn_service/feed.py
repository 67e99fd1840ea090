import functools

import tensorflow as tf

import schema


def parse_line(line):
    values = tf.io.decode_csv(line, schema.record_defaults())
    row = dict(zip(schema.names(), values))
    return row


def encode(row, lookups, stats):
    label = tf.cast(row.pop(schema.LABEL), tf.float32)
    numbers = [
        (row[name] - stats[name]["mean"]) / stats[name]["std"] for name in schema.NUMERIC
    ]
    encoded = {name: lookup(row[name]) for name, lookup in lookups.items()}
    encoded["numbers"] = tf.stack(numbers, axis=-1)
    return encoded, label


def pipeline(paths, stats, batch_size, training):
    lines = tf.data.TextLineDataset(paths, num_parallel_reads=4)
    rows = lines.map(parse_line, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    prepare = functools.partial(encode, lookups=schema.lookups(), stats=stats)
    examples = rows.map(prepare, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    if training:
        examples = examples.shuffle(50_000)
    return examples.batch(batch_size).prefetch(tf.data.AUTOTUNE)
