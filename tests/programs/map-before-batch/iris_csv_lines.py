# requires: tensorflow==1.10.*
"""Iris with an Estimator, lines of CSV as in the guide."""
import argparse

import tensorflow as tf

COLUMNS = ["sepal_length", "sepal_width", "petal_length", "petal_width", "species"]
DEFAULTS = [[0.0], [0.0], [0.0], [0.0], [0]]


def _parse_line(line):
    fields = tf.decode_csv(line, record_defaults=DEFAULTS)
    features = dict(zip(COLUMNS, fields))
    label = features.pop("species")
    return features, label


def csv_input_fn(path, batch_size, training):
    dataset = tf.data.TextLineDataset(path).skip(1)
    dataset = dataset.map(_parse_line, num_parallel_calls=4)  # finding: map-before-batch
    if training:
        dataset = dataset.shuffle(1000).repeat()
    return dataset.batch(batch_size)


def model_fn(features, labels, mode, params):
    net = tf.feature_column.input_layer(features, params["columns"])
    for units in params["hidden"]:
        net = tf.layers.dense(net, units, tf.nn.relu)
    logits = tf.layers.dense(net, 3)
    classes = tf.argmax(logits, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"class": classes})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    accuracy = tf.metrics.accuracy(labels, classes)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": accuracy})
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", default=100, type=int)
    parser.add_argument("--train_steps", default=100000, type=int)
    args = parser.parse_args(argv)
    columns = [tf.feature_column.numeric_column(name) for name in COLUMNS[:-1]]
    classifier = tf.estimator.Estimator(
        model_fn, "iris", params={"columns": columns, "hidden": [10, 10]})
    classifier.train(lambda: csv_input_fn("train.csv", args.batch_size, True), steps=args.train_steps)
    print(classifier.evaluate(lambda: csv_input_fn("test.csv", args.batch_size, False)))


if __name__ == "__main__":
    main()
