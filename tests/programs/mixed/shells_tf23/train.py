import sys

import tensorflow as tf

from data import ShellReader, count


def build():
    inputs = tf.keras.layers.Input([128, 128, 3])
    x = tf.keras.layers.Conv2D(32, 27, padding="same", activation="relu")(inputs)  # finding: oversized-kernel
    for filters in [32, 64, 128]:
        x = tf.keras.layers.Conv2D(filters, 3, activation="relu")(x)
        x = tf.keras.layers.MaxPool2D()(x)
    x = tf.keras.layers.Flatten()(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(40)(x))


def main(root):
    reader = ShellReader(root, 32)
    model = build()
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    print("training on", count(reader.training().unbatch()), "pictures")
    model.fit(reader.training(), validation_data=reader.validation(), epochs=25)
    for _ in range(1000):
        model.evaluate(reader.validation().take(1))


if __name__ == "__main__":
    main(sys.argv[1])
