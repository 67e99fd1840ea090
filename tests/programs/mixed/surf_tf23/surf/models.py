import tensorflow as tf


def forecaster(config):
    inputs = tf.keras.Input((config.window, 4))
    state = tf.keras.layers.GRU(config.units)(inputs)
    outputs = tf.keras.layers.Dense(config.horizon)(state)
    return tf.keras.Model(inputs, outputs)
