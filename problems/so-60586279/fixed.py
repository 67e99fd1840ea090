"""Turns logged trips into features: each trip is centred, scaled and summed up."""

import numpy as np
import tensorflow as tf

TRIPS = 400
POINTS = 32


def logged_trips():
    rng = np.random.default_rng(60586)
    steps = rng.normal(size=(TRIPS, POINTS, 2)).astype("float32")
    return tf.constant(np.cumsum(steps, axis=1))


def features_of(trips):
    middle = tf.reduce_mean(trips, axis=1, keepdims=True)
    spread = tf.math.reduce_std(trips, axis=1, keepdims=True) + 1e-6
    scaled = (trips - middle) / spread
    legs = scaled[:, 1:] - scaled[:, :-1]
    length = tf.reduce_sum(tf.norm(legs, axis=2), axis=1, keepdims=True)
    return tf.concat([middle[:, 0], spread[:, 0], length], axis=1)


def main():
    features = features_of(logged_trips())
    return features.numpy()


if __name__ == "__main__":
    print(main()[:3])
