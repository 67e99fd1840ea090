"""Feature transforms of the churn model."""
import tensorflow as tf

MEAN = tf.constant([3.1, 40.2, 0.4, 12.0, 7.7])
STD = tf.constant([1.2, 11.9, 0.2, 5.0, 2.1])


def standardize(features):
    return (features - MEAN) / STD


def clip(features, low=-4.0, high=4.0):
    return tf.clip_by_value(features, low, high)


def to_example(features, label):
    x = clip(standardize(tf.cast(features, tf.float32)))
    return x, tf.cast(label, tf.float32)


def swap_missing(features, label):
    features = tf.where(tf.math.is_nan(features), tf.zeros_like(features), features)
    return features, label
