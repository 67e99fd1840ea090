# requires: tensorflow==2.15.*
"""Load forecast with a small transformer; Keras' fit does the loop."""
import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class SinusoidalPositions(layers.Layer):
    def __init__(self, base=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.base = base

    def call(self, x):
        steps, width = x.shape[1], x.shape[2]
        pos = np.arange(steps)[:, None]
        rate = 1.0 / np.power(self.base, 2 * (np.arange(width)[None] // 2) / width)
        angle = pos * rate
        angle[:, 0::2] = np.sin(angle[:, 0::2])
        angle[:, 1::2] = np.cos(angle[:, 1::2])
        return x + tf.constant(angle[None], x.dtype)


class WeekMask(layers.Layer):
    """Lets a step look at the same weekday only."""

    def call(self, scores):
        steps = scores.shape[-1]
        day = tf.range(steps) // 24 % 7
        same = tf.cast(day[:, None] == day[None, :], scores.dtype)
        return scores + (1.0 - same) * -1e9


class PinballLoss(keras.losses.Loss):
    def __init__(self, quantiles):
        super().__init__()
        self.quantiles = quantiles

    def call(self, y_true, y_pred):
        q = tf.constant(self.quantiles, y_pred.dtype)
        err = y_true[..., None] - y_pred
        return tf.reduce_mean(tf.maximum(q * err, (q - 1.0) * err))


def attention(x, width, heads):
    q = layers.Dense(width)(x)
    k = layers.Dense(width)(x)
    v = layers.Dense(width)(x)
    scores = layers.Dot(axes=2)([q, k]) / np.sqrt(width)
    scores = WeekMask()(scores)
    return layers.Dot(axes=(2, 1))([layers.Softmax()(scores), v])


def build(steps, features, width=64, depth=3):
    inp = keras.Input((steps, features))
    x = layers.Dense(width)(inp)
    x = SinusoidalPositions()(x)
    for _ in range(depth):
        x = layers.LayerNormalization()(x + attention(x, width, 4))
        y = layers.Dense(width * 2, activation="gelu")(x)
        x = layers.LayerNormalization()(x + layers.Dense(width)(y))
    out = layers.Dense(3)(x)
    return keras.Model(inp, out)


def windows(frame, steps, horizon=24):
    values = frame.to_numpy("float32")
    x = tf.keras.utils.timeseries_dataset_from_array(values[:-horizon], None, steps, batch_size=None)
    y = tf.keras.utils.timeseries_dataset_from_array(values[horizon:, 0], None, steps, batch_size=None)
    return tf.data.Dataset.zip((x, y))


if __name__ == "__main__":
    df = pd.read_csv("load.csv", index_col=0, parse_dates=True)
    df = (df - df.mean()) / df.std()
    cut = int(len(df) * 0.9)
    train = windows(df[:cut], 336).cache().shuffle(4096).batch(64).prefetch(tf.data.AUTOTUNE)
    valid = windows(df[cut:], 336).batch(64).cache().prefetch(tf.data.AUTOTUNE)
    model = build(336, df.shape[1])
    model.compile("adam", PinballLoss([0.1, 0.5, 0.9]))
    model.fit(train, validation_data=valid, epochs=40, callbacks=[keras.callbacks.EarlyStopping(patience=5)])
    model.save("load.keras")
