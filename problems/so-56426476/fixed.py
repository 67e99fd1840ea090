"""Which test samples does a forecaster get most wrong? The loss of each one, in graph mode."""

import keras
import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

SAMPLES = 60
HORIZON = 12


def forecasts():
    rng = np.random.default_rng(56)
    truth = np.cumsum(rng.normal(size=(SAMPLES, HORIZON)), axis=1).astype("float32")
    forecast = truth + rng.normal(scale=0.3, size=truth.shape).astype("float32")
    return truth, forecast


def losses(truth, forecast):
    expected = tf.compat.v1.placeholder(tf.float32, [None, HORIZON])
    given = tf.compat.v1.placeholder(tf.float32, [None, HORIZON])
    loss = keras.losses.mean_squared_error(expected, given)
    with tf.compat.v1.Session() as session:
        return session.run(loss, {expected: truth, given: forecast})


def worst(values, count):
    return np.argsort(values)[::-1][:count]


def main():
    truth, forecast = forecasts()
    values = losses(truth, forecast)
    return [values, worst(values, 5)]


if __name__ == "__main__":
    print(main()[1])
