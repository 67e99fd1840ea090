"""python train.py jets.h5"""
import sys

import tensorflow as tf

from pipelines.jets import Jets


def model(constituents=64):
    inputs = tf.keras.Input((constituents, 4))
    x = inputs
    for width in (64, 128, 256):
        x = tf.keras.layers.Dense(width, activation="relu")(x)
    x = tf.keras.layers.GlobalAveragePooling1D()(x)
    x = tf.keras.layers.Dense(128, activation="relu")(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(5, activation="softmax")(x))


if __name__ == "__main__":
    jets = Jets(sys.argv[1], 1024, seed=7)
    net = model()
    net.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    net.fit(jets("train", training=True), steps_per_epoch=1000, epochs=50, validation_data=jets("valid"))
