"""Turns logged trips into features: each trip is centred, scaled and summed up."""

import numpy as np
import tensorflow as tf

TRIPS = 400
POINTS = 32


def logged_trips():
    rng = np.random.default_rng(60586)
    steps = rng.normal(size=(TRIPS, POINTS, 2)).astype("float32")
    return tf.constant(np.cumsum(steps, axis=1))


def describe(trip):
    middle = tf.reduce_mean(trip, axis=0)
    spread = tf.math.reduce_std(trip, axis=0) + 1e-6
    scaled = (trip - middle) / spread
    legs = scaled[1:] - scaled[:-1]
    length = tf.reduce_sum(tf.norm(legs, axis=1))
    return tf.concat([middle, spread, length[tf.newaxis]], axis=0)


def features_of(trips):
    return tf.map_fn(describe, trips)  # finding


def main():
    features = features_of(logged_trips())
    return features.numpy()


if __name__ == "__main__":
    print(main()[:3])
