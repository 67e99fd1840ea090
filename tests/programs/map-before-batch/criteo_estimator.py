# requires: tensorflow==1.14.*
"""Wide & deep on Criteo's display ads, Estimator style.

    python criteo_estimator.py --data gs://bucket/criteo --steps 300000
"""

import multiprocessing

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("data", None, "folder of tfrecord shards")
flags.DEFINE_string("model_dir", "/tmp/criteo", "")
flags.DEFINE_integer("batch_size", 4096, "")
flags.DEFINE_integer("steps", 100000, "")
FLAGS = flags.FLAGS

INT = ["I%d" % i for i in range(1, 14)]
CAT = ["C%d" % i for i in range(1, 27)]
CORES = multiprocessing.cpu_count()


def feature_spec():
    spec = {name: tf.FixedLenFeature([], tf.float32, default_value=0.0) for name in INT}
    spec.update({name: tf.FixedLenFeature([], tf.string, default_value="") for name in CAT})
    spec["clicked"] = tf.FixedLenFeature([], tf.float32)
    return spec


def parse(serialized):
    features = tf.parse_single_example(serialized, feature_spec())
    label = features.pop("clicked")
    return features, label


def squash(features, label):
    out = dict(features)
    for name in INT:
        out[name] = tf.log(tf.maximum(features[name], 0.0) + 1.0)
    return out, label


def train_input_fn():
    files = tf.data.Dataset.list_files(FLAGS.data + "/train-*")
    ds = files.apply(
        tf.data.experimental.parallel_interleave(tf.data.TFRecordDataset, cycle_length=CORES, sloppy=True)
    )
    ds = ds.shuffle(FLAGS.batch_size * 10).repeat()
    ds = ds.map(parse, num_parallel_calls=CORES)  # finding: map-before-batch
    ds = ds.apply(tf.data.experimental.map_and_batch(squash, FLAGS.batch_size, drop_remainder=True))  # finding: map-before-batch
    return ds.prefetch(2)


def eval_input_fn():
    ds = tf.data.TFRecordDataset(tf.gfile.Glob(FLAGS.data + "/eval-*"), num_parallel_reads=CORES)
    ds = ds.batch(FLAGS.batch_size)
    ds = ds.map(lambda records: tf.parse_example(records, feature_spec()), num_parallel_calls=CORES)
    ds = ds.map(lambda f: ({k: v for k, v in f.items() if k != "clicked"}, f["clicked"]), num_parallel_calls=CORES)
    return ds.prefetch(2)


def columns():
    hashed = [tf.feature_column.categorical_column_with_hash_bucket(name, 100000) for name in CAT]
    wide = hashed
    deep = [tf.feature_column.embedding_column(c, 16) for c in hashed]
    deep += [tf.feature_column.numeric_column(name) for name in INT]
    return wide, deep


def main(_):
    tf.logging.set_verbosity(tf.logging.INFO)
    wide, deep = columns()
    config = tf.estimator.RunConfig(model_dir=FLAGS.model_dir, save_checkpoints_steps=5000, log_step_count_steps=500)
    estimator = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide,
        dnn_feature_columns=deep,
        dnn_hidden_units=[256, 128, 64],
        dnn_dropout=0.1,
        config=config,
    )
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(train_input_fn, max_steps=FLAGS.steps),
        tf.estimator.EvalSpec(eval_input_fn, steps=200, throttle_secs=600),
    )


if __name__ == "__main__":
    tf.app.run(main)
