"""A surface over the plane, learned from measuring stations."""

import numpy as np
import tensorflow as tf


class Surface:
    def __init__(self, hidden):
        tf.keras.utils.set_random_seed(9)
        self.net = tf.keras.Sequential(
            [
                tf.keras.layers.Input((2,)),
                tf.keras.layers.Dense(hidden, activation="tanh"),
                tf.keras.layers.Dense(1),
            ]
        )
        self.net.compile("adam", "mse")

    def fit_stations(self):
        places = np.random.default_rng(3).uniform(size=(500, 2))
        levels = np.sin(6 * places[:, :1]) * places[:, 1:]
        self.net.fit(places, levels, batch_size=100, epochs=2, verbose=0)

    def on_grid(self, cells):
        axis = np.linspace(0.0, 1.0, cells)
        points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        return self.net.predict(points, verbose=0).reshape(cells, cells)  # finding
