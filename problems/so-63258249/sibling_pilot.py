"""The pilot of the drone: an actor network asked for the next command."""

import numpy as np
import tensorflow as tf


class Pilot:
    def __init__(self, sensors, commands):
        self.actor = tf.keras.Sequential(
            [
                tf.keras.layers.Input((sensors,)),
                tf.keras.layers.Dense(24, activation="tanh"),
                tf.keras.layers.Dense(commands, activation="tanh"),
            ]
        )

    def command(self, state):
        return self.actor.predict(np.expand_dims(state, 0))[0]  # finding
