import tensorflow as tf

NUMERIC = ["I%d" % i for i in range(1, 14)]
CATEGORICAL = ["C%d" % i for i in range(1, 27)]
DEFAULTS = [[0]] + [[0.0]] * 13 + [[""]] * 26


def build():
    columns = [tf.feature_column.numeric_column(name) for name in NUMERIC]
    for name in CATEGORICAL:
        hashed = tf.feature_column.categorical_column_with_hash_bucket(name, 10000)
        columns.append(tf.feature_column.embedding_column(hashed, 16))
    return columns


def parse_line(line):
    fields = tf.decode_csv(line, record_defaults=DEFAULTS, field_delim="\t")
    label = fields[0]
    return dict(zip(NUMERIC + CATEGORICAL, fields[1:])), label


def parse_example(serialized):
    spec = {name: tf.FixedLenFeature([], tf.float32) for name in NUMERIC}
    spec["label"] = tf.FixedLenFeature([], tf.int64)
    row = tf.parse_single_example(serialized, spec)
    label = row.pop("label")
    return row, label


def parse_batch(serialized):
    spec = {name: tf.FixedLenFeature([], tf.float32) for name in NUMERIC}
    spec["label"] = tf.FixedLenFeature([], tf.int64)
    row = tf.parse_example(serialized, spec)
    label = row.pop("label")
    return row, label
