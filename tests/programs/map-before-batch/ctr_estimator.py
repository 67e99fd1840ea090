# requires: tensorflow==1.12.*
"""Wide & deep click-through model on TFRecords (Estimator)."""
import glob
import os

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("data_dir", "/data/ctr", "where the TFRecords are")
flags.DEFINE_string("model_dir", "/tmp/ctr", "checkpoints")
flags.DEFINE_integer("batch_size", 1024, "")
flags.DEFINE_integer("epochs", 3, "")
FLAGS = flags.FLAGS

NUMERIC = ["price", "age", "hour", "position"]
CATEGORICAL = ["user_id", "item_id", "site"]

SPEC = {name: tf.FixedLenFeature([1], tf.float32) for name in NUMERIC}
SPEC.update({name: tf.FixedLenFeature([1], tf.string) for name in CATEGORICAL})
SPEC["click"] = tf.FixedLenFeature([1], tf.int64)


def _parse(serialized):
    features = tf.parse_single_example(serialized, SPEC)
    label = tf.cast(features.pop("click"), tf.float32)
    return features, label


def _files(split):
    return sorted(glob.glob(os.path.join(FLAGS.data_dir, split + "-*.tfrecord")))


def input_fn(split, shuffle):
    dataset = tf.data.TFRecordDataset(_files(split), num_parallel_reads=8)
    if shuffle:
        dataset = dataset.shuffle(100000).repeat(FLAGS.epochs)
    dataset = dataset.map(_parse, num_parallel_calls=8)  # finding: map-before-batch
    dataset = dataset.batch(FLAGS.batch_size)
    return dataset.prefetch(2)


def columns():
    wide, deep = [], []
    for name in NUMERIC:
        deep.append(tf.feature_column.numeric_column(name))
    for name in CATEGORICAL:
        hashed = tf.feature_column.categorical_column_with_hash_bucket(name, 100000)
        wide.append(hashed)
        deep.append(tf.feature_column.embedding_column(hashed, 16))
    return wide, deep


def main(_):
    tf.logging.set_verbosity(tf.logging.INFO)
    wide, deep = columns()
    model = tf.estimator.DNNLinearCombinedClassifier(
        model_dir=FLAGS.model_dir,
        linear_feature_columns=wide,
        dnn_feature_columns=deep,
        dnn_hidden_units=[256, 128, 64],
        config=tf.estimator.RunConfig(save_checkpoints_steps=5000),
    )
    train_spec = tf.estimator.TrainSpec(lambda: input_fn("train", True))
    eval_spec = tf.estimator.EvalSpec(lambda: input_fn("eval", False), steps=200)
    tf.estimator.train_and_evaluate(model, train_spec, eval_spec)


if __name__ == "__main__":
    tf.app.run()
