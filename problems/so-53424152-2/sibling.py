"""Rain of the next hour is predicted from lines of weather reports."""

import numpy as np
import tensorflow as tf
from sibling_weather import StationReader


def reports(count):
    rng = np.random.default_rng(15)
    return [",".join(f"{value:.3f}" for value in row) for row in rng.normal(10, 5, (count, 6))]


@tf.function
def improve(weights, weather, rain):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.linalg.matvec(weather, weights) - rain))
    weights.assign_sub(0.01 * tape.gradient(loss, weights))
    return loss


def main():
    weights = tf.Variable(tf.zeros(5))
    for weather, rain in StationReader(reports(600), 50).training_set():
        loss = improve(weights, weather, rain)
    return float(loss)


if __name__ == "__main__":
    print(main())
