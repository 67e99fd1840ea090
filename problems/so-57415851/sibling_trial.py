"""One setting of the hyper-parameters and what comes of it."""

import tensorflow as tf


class Trial:
    def __init__(self, depth, rate):
        self.depth = depth
        self.rate = rate

    def build(self):
        model = tf.keras.models.Sequential()  # finding
        for _ in range(self.depth):
            model.add(tf.keras.layers.Dense(32, activation="relu"))
        model.add(tf.keras.layers.Dense(1))
        model.compile(loss="mae", optimizer=tf.keras.optimizers.RMSprop(self.rate))
        return model

    def run(self, wines, quality):
        model = self.build()
        history = model.fit(
            wines, quality, validation_split=0.25, batch_size=40, epochs=1, verbose=0
        )
        return history.history["val_loss"][-1]
