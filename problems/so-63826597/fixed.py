"""Directions of wind are learnt with a loss of our own, which compares angles."""

import numpy as np
import tensorflow as tf

MASTS = 6
ROWS = 3072
BATCH = 256
EPOCHS = 2


def make_winds(seed=77):
    rng = np.random.default_rng(seed)
    readings = rng.normal(size=(ROWS, 10)).astype(np.float32)
    mixing = rng.normal(size=(10, MASTS)).astype(np.float32)
    return readings, np.remainder(readings @ mixing, 2 * np.pi).astype(np.float32)


def angle_loss(y_true, y_pred):
    gap = tf.atan2(tf.sin(y_true - y_pred), tf.cos(y_true - y_pred))
    worst = tf.reduce_max(tf.abs(gap), axis=1)
    return tf.reduce_mean(tf.reduce_mean(tf.square(gap), axis=1) + 0.1 * worst)


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((10,)),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(MASTS),
        ]
    )
    model.compile(optimizer="adam", loss=angle_loss)
    return model


def main():
    tf.keras.utils.set_random_seed(44)
    readings, winds = make_winds()
    model = build_model()
    history = model.fit(
        readings, winds, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0
    )
    return history.history["loss"]


if __name__ == "__main__":
    print(main())
