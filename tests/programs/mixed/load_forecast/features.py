"""Row level features for the substation load forecaster (15 minute data)."""
import math

import tensorflow as tf

TWO_PI = 2.0 * math.pi


def calendar(row, target):
    minute = tf.cast(row["minute_of_day"], tf.float32)
    doy = tf.cast(row["day_of_year"], tf.float32)
    out = dict(row)
    out["tod_sin"] = tf.sin(TWO_PI * minute / 1440.0)
    out["tod_cos"] = tf.cos(TWO_PI * minute / 1440.0)
    out["doy_sin"] = tf.sin(TWO_PI * doy / 365.25)
    out["doy_cos"] = tf.cos(TWO_PI * doy / 365.25)
    out["degree_days"] = tf.nn.relu(18.0 - row["temperature"])
    return out, tf.math.log1p(target)


def split_window(win):
    # win: (history + horizon, channels)
    return win[:-96], win[-96:, 0]


def instance_norm(hist, fut):
    mu = tf.reduce_mean(hist, axis=0)
    sd = tf.math.reduce_std(hist, axis=0) + 1e-5
    return (hist - mu) / sd, (fut - mu[0]) / sd[0]
