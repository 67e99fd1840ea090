import sys

import tensorflow as tf

from .dataset import training, testing
from .encode import WIDTH


def basenji_like():
    x = inp = tf.keras.Input((WIDTH, 4))
    for width, n in ((15, 192), (5, 224), (5, 256), (5, 288)):
        x = tf.keras.layers.Conv1D(n, width, padding="same")(x)
        x = tf.keras.layers.BatchNormalization()(x)
        x = tf.keras.layers.Activation("gelu")(x)
        x = tf.keras.layers.MaxPool1D(4)(x)
    x = tf.keras.layers.Flatten()(x)
    return tf.keras.Model(inp, tf.keras.layers.Dense(1, activation="softplus")(x))


def main(train_npz, test_npz):
    net = basenji_like()
    net.compile(tf.keras.optimizers.Adam(3e-4), "poisson")
    net.fit(training(train_npz), epochs=20, validation_data=testing(test_npz))
    net.save("promoter.keras")


main(*sys.argv[1:3])
