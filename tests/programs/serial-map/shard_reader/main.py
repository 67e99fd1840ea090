"""Speaker identification."""
import argparse

import tensorflow as tf

from data import dev_data, train_data


def build(speakers):
    inputs = tf.keras.Input([None, 257])
    x = tf.keras.layers.Conv1D(256, 5, activation="relu")(inputs)
    x = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(128))(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(speakers, activation="softmax")(x))


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", default="shards/train-*")
    parser.add_argument("--dev", default="shards/dev-*")
    parser.add_argument("--speakers", type=int, default=1251)
    args = parser.parse_args(argv)
    model = build(args.speakers)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(train_data(args.train, 64), steps_per_epoch=5000, epochs=30,
              validation_data=dev_data(args.dev, 64))


if __name__ == "__main__":
    main()
