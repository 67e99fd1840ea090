# requires: tensorflow==1.15.*
"""Forecasts demand of shops: retrained each week on a longer past, scored on the week after it."""

import argparse
import shutil

import numpy as np
import pandas as pd
import tensorflow as tf

LAGS = 28


def windows(series, first, last):
    sums = np.stack([series[t - LAGS : t] for t in range(first, last)])
    return sums.astype(np.float32), series[first:last].astype(np.float32)


def input_fn(x, y, batch_size=None):
    def fn():
        dataset = tf.data.Dataset.from_tensor_slices(({"past": x}, y))
        if batch_size is None:
            return dataset.batch(1024)
        return dataset.shuffle(len(x)).repeat().batch(batch_size)

    return fn


def model_fn(features, labels, mode, params):
    x = tf.log1p(features["past"])
    for units in params["units"]:
        x = tf.layers.dense(x, units, tf.nn.relu)
        x = tf.layers.dropout(x, 0.2, training=mode == tf.estimator.ModeKeys.TRAIN)
    demand = tf.squeeze(tf.layers.dense(x, 1, tf.nn.softplus), 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"demand": demand})
    loss = tf.losses.huber_loss(labels, demand)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"mae": tf.metrics.mean_absolute_error(labels, demand)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.AdamOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class StopWhenFlat(tf.train.SessionRunHook):
    """Ends the training of a round once the loss has not moved for a while."""

    def __init__(self, patience=500):
        self.patience = patience

    def begin(self):
        self.best, self.since = np.inf, 0
        self.loss = tf.get_collection(tf.GraphKeys.LOSSES)[0]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        if run_values.results < self.best * 0.999:
            self.best, self.since = run_values.results, 0
        else:
            self.since += 1
        if self.since > self.patience:
            run_context.request_stop()


def rounds(length, weeks):
    for week in range(weeks, 0, -1):
        yield length - 7 * week


def backtest(series, weeks, folder):
    scores = []
    for end in rounds(len(series), weeks):
        shutil.rmtree(folder, ignore_errors=True)
        estimator = tf.estimator.Estimator(
            model_fn, folder, params={"units": [64, 32], "rate": 1e-3}
        )
        train_x, train_y = windows(series, LAGS, end)
        test_x, test_y = windows(series, end, end + 7)
        estimator.train(input_fn(train_x, train_y, 64), hooks=[StopWhenFlat()], max_steps=20000)
        score = estimator.evaluate(input_fn(test_x, test_y))
        guesses = [row["demand"] for row in estimator.predict(input_fn(test_x, test_y))]
        bias = float(np.mean(np.array(guesses) - test_y))
        tf.logging.info("up to day %d: mae %.2f, bias %.2f", end, score["mae"], bias)
        scores.append(score["mae"])
    return float(np.mean(scores))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sales")
    parser.add_argument("--weeks", type=int, default=12)
    parser.add_argument("--folder", default="/tmp/demand")
    args = parser.parse_args()
    sales = pd.read_csv(args.sales, parse_dates=["day"])
    for shop, rows in sales.groupby("shop"):
        series = rows.sort_values("day").sold.values
        print(shop, backtest(series, args.weeks, args.folder))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    main()
