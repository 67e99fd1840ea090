from __future__ import print_function

import glob
import sys

import tensorflow as tf

from input import ChurnInput


def model_fn(features, labels, mode):
    columns = [
        tf.feature_column.numeric_column("months"),
        tf.feature_column.numeric_column("calls", shape=[24]),
        tf.feature_column.indicator_column(
            tf.feature_column.categorical_column_with_identity("plan", 12)),
    ]
    net = tf.compat.v1.feature_column.input_layer(features, columns)
    net = tf.compat.v1.layers.dense(net, 64, activation=tf.nn.relu)
    logits = tf.compat.v1.layers.dense(net, 1)[:, 0]
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {"risk": tf.sigmoid(logits)})
    loss = tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.cast(labels, tf.float32), logits=logits))
    train = tf.compat.v1.train.AdamOptimizer().minimize(
        loss, tf.compat.v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def main(folder):
    data = ChurnInput(sorted(glob.glob(folder + "/*.tfrecord")), 512, epochs=30)
    estimator = tf.estimator.Estimator(model_fn, folder + "/model")
    estimator.train(data.training)
    estimator.train(data.fused)
    for answer in estimator.predict(data.scoring):
        print(answer["risk"])


if __name__ == "__main__":
    main(sys.argv[1])
