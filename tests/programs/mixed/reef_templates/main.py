import sys

import tensorflow as tf

from sources import SOURCES


def main(kind, root):
    source = SOURCES[kind](root)
    model = tf.keras.Sequential([
        tf.keras.applications.MobileNetV2((128, 128, 3), include_top=False, pooling="avg"),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(source.batches(True), steps_per_epoch=500, epochs=20)
    model.save("reef.h5")


if __name__ == "__main__":
    main(*sys.argv[1:])
