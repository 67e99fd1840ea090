import keras
import tensorflow as tf
from keras import layers

from data import HISTORY, HORIZON


class WeightedMape(keras.metrics.Metric):
    def __init__(self, name="wmape", **kwargs):
        super().__init__(name=name, **kwargs)
        self.truth = []
        self.guess = []

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.truth.append(y_true)
        self.guess.append(y_pred)

    def result(self):
        if not self.truth:
            return tf.constant(0.0)
        truth, guess = tf.concat(self.truth, 0), tf.concat(self.guess, 0)
        return tf.reduce_sum(tf.abs(truth - guess)) / tf.reduce_sum(tf.abs(truth))

    def reset_state(self):
        self.truth, self.guess = [], []


def build(width=32):
    inputs = keras.Input((HISTORY, 6))
    x = layers.Conv1D(width, 3, padding="causal", activation="relu")(inputs)
    for rate in (2, 4, 8):
        y = layers.Conv1D(width, 3, padding="causal", dilation_rate=rate, activation="relu")(x)
        x = layers.LayerNormalization()(x + y)
    x = layers.Flatten()(x[:, -16:])
    x = layers.Dense(64, activation="relu")(x)
    return keras.Model(inputs, layers.Dense(HORIZON)(x))


def compiled(width=32):
    model = build(width)
    model.compile(
        optimizer=keras.optimizers.Adam(2e-3),
        loss="huber",
        metrics=[WeightedMape()],
        run_eagerly=True,
    )
    return model
