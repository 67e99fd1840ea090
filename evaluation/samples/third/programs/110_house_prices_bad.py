"""House prices from location and features with a radial-basis network (TensorFlow).

usage: house_prices.py sales.csv
columns: lat, lon, area, rooms, year, floor, distance, price
"""
import sys

import keras
import numpy as np
import tensorflow as tf

FEATURES = ["lat", "lon", "area", "rooms", "year", "floor", "distance"]
N_CENTERS = 1024


class RadialBasis(keras.layers.Layer):
    """exp(-|x - c|^2) for every centre, with a trainable length scale for each feature."""

    def __init__(self, centers, **kwargs):
        super().__init__(**kwargs)
        self.start = centers
        self.n_centers = len(centers)

    def build(self, input_shape):
        self.centers = self.add_weight(
            name="centers",
            shape=self.start.shape,
            initializer=lambda shape, dtype=None: tf.cast(self.start, dtype),
        )
        self.log_scale = self.add_weight(
            name="log_scale", shape=(input_shape[-1],), initializer="zeros"
        )

    def call(self, x):
        scale = tf.exp(self.log_scale)
        points = tf.tile(tf.expand_dims(x / scale, 1), [1, self.n_centers, 1])
        centers = tf.tile(tf.expand_dims(self.centers / scale, 0), [tf.shape(x)[0], 1, 1])
        return tf.exp(-tf.reduce_sum(tf.square(points - centers), axis=-1))

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.n_centers)


def read_sales(path):
    table = np.genfromtxt(path, delimiter=",", names=True, dtype=np.float32)
    x = np.stack([table[name] for name in FEATURES], axis=1)
    y = np.log(table["price"])
    order = np.random.default_rng(5).permutation(len(y))
    return x[order], y[order]


def make_dataset(x, y, training):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if training:
        ds = ds.shuffle(len(y))
    return ds.batch(1024).prefetch(tf.data.AUTOTUNE)


def build_model(x):
    pick = np.random.default_rng(6).choice(len(x), min(N_CENTERS, len(x)), replace=False)
    inputs = keras.Input((x.shape[1],))
    hidden = RadialBasis(x[pick])(inputs)
    hidden = keras.layers.Concatenate()([hidden, inputs])
    return keras.Model(inputs, keras.layers.Dense(1)(hidden))


def main(path):
    x, y = read_sales(path)
    cut = int(0.9 * len(y))
    mean, std = x[:cut].mean(axis=0), x[:cut].std(axis=0) + 1e-6
    x = (x - mean) / std
    y = y - y[:cut].mean()

    model = build_model(x[:cut])
    model.compile(optimizer=keras.optimizers.Adam(2e-3), loss="mse", metrics=["mae"])
    model.fit(
        make_dataset(x[:cut], y[:cut], training=True),
        validation_data=make_dataset(x[cut:], y[cut:], training=False),
        epochs=100,
        verbose=2,
        callbacks=[keras.callbacks.EarlyStopping(patience=10, restore_best_weights=True)],
    )
    model.save_weights("house_prices.weights.h5")


if __name__ == "__main__":
    main(sys.argv[1])
