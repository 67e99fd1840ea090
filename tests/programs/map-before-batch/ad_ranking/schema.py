"""The columns of the click log, in the order in which the exporter writes them."""
import collections

import tensorflow as tf

Column = collections.namedtuple("Column", "name default size")

COLUMNS = [
    Column("clicked", [0.0], None),
    Column("hour", [0], None),
    Column("price", [0.0], None),
    Column("site", [""], 20000),
    Column("app", [""], 50000),
    Column("device", [""], 5000),
]
NAMES = [column.name for column in COLUMNS]
DEFAULTS = [column.default for column in COLUMNS]


def feature_columns():
    fc = tf.feature_column
    made = [fc.numeric_column("price"), fc.indicator_column(fc.categorical_column_with_identity("hour", 24))]
    for column in COLUMNS:
        if column.size:
            hashed = fc.categorical_column_with_hash_bucket(column.name, column.size)
            made.append(fc.embedding_column(hashed, 16))
    return made


def example_spec():
    return tf.feature_column.make_parse_example_spec(feature_columns() + [tf.feature_column.numeric_column("clicked")])
