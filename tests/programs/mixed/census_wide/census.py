"""Wide and deep model of the census data."""

import os

import tensorflow as tf

_CSV_COLUMNS = ["age", "workclass", "fnlwgt", "education", "hours_per_week", "income_bracket"]
_CSV_COLUMN_DEFAULTS = [[0], [""], [0], [""], [0], [""]]
_NUM_EXAMPLES = {"train": 32561, "validation": 16281}


def build_model_columns():
    age = tf.feature_column.numeric_column("age")
    hours = tf.feature_column.numeric_column("hours_per_week")
    education = tf.feature_column.categorical_column_with_hash_bucket("education", 100)
    workclass = tf.feature_column.categorical_column_with_hash_bucket("workclass", 100)
    buckets = tf.feature_column.bucketized_column(age, boundaries=[18, 25, 30, 35, 40, 45, 50])
    wide = [education, workclass, buckets, tf.feature_column.crossed_column(["education", "workclass"], 1000)]
    deep = [age, hours, tf.feature_column.embedding_column(education, 8)]
    return wide, deep


def input_fn(data_file, num_epochs, shuffle, batch_size):
    assert tf.gfile.Exists(data_file), "%s not found" % data_file

    def parse_csv(value):
        tf.logging.info("Parsing {}".format(data_file))
        columns = tf.decode_csv(value, record_defaults=_CSV_COLUMN_DEFAULTS)
        features = dict(zip(_CSV_COLUMNS, columns))
        labels = features.pop("income_bracket")
        classes = tf.equal(labels, ">50K")
        return features, classes

    dataset = tf.data.TextLineDataset(data_file)
    if shuffle:
        dataset = dataset.shuffle(buffer_size=_NUM_EXAMPLES["train"])
    dataset = dataset.map(parse_csv, num_parallel_calls=5)  # finding: map-before-batch
    dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size)
    return dataset.prefetch(1)


def predict_input_fn(data_file, batch_size):
    """Without the label, and parsed by the batch."""
    dataset = tf.data.TextLineDataset(data_file).batch(batch_size)
    dataset = dataset.map(
        lambda rows: dict(zip(_CSV_COLUMNS, tf.decode_csv(rows, record_defaults=_CSV_COLUMN_DEFAULTS))),
        num_parallel_calls=5,
    )
    return dataset.prefetch(1)


def paths(data_dir):
    return os.path.join(data_dir, "adult.data"), os.path.join(data_dir, "adult.test")
