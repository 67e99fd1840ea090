import tensorflow as tf

from .registry import register

MEAN = tf.constant([1.4, 9.8, 212.0, 13.5])
SCALE = tf.constant([0.9, 3.1, 80.0, 5.2])


@register()
def standardize(series, config):
    return (series - MEAN) / SCALE


@register("split")
def past_and_future(series, config):
    past = series[: config.window]
    future = series[config.window :, 0]
    return past, future


def parse(config):
    shape = [config.window + config.horizon, 4]
    spec = {"series": tf.io.FixedLenFeature(shape, tf.float32)}

    def one(record):
        return tf.io.parse_single_example(record, spec)["series"]

    return one
