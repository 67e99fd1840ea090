import argparse
import csv

import tensorflow as tf
import yaml

from .pipeline import TilePipeline


def read_index(path):
    with open(path) as f:
        rows = list(csv.DictReader(f))
    return (
        [r["path"] for r in rows],
        [int(r["row"]) for r in rows],
        [int(r["col"]) for r in rows],
    )


def unet(size, classes, widths=(32, 64, 128)):
    inputs = x = tf.keras.Input((size, size, 4))
    skips = []
    for w in widths:
        x = tf.keras.layers.Conv2D(w, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = tf.keras.layers.MaxPooling2D()(x)
    for w, skip in zip(widths[::-1], skips[::-1]):
        x = tf.keras.layers.UpSampling2D()(x)
        x = tf.keras.layers.Concatenate()([x, skip])
        x = tf.keras.layers.Conv2D(w, 3, padding="same", activation="relu")(x)
    return tf.keras.Model(inputs, tf.keras.layers.Conv2D(classes, 1)(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config")
    args = parser.parse_args()
    with open(args.config) as f:
        config = yaml.safe_load(f)
    model = unet(config["tile_size"], config["classes"])
    model.compile(
        tf.keras.optimizers.Adam(config["lr"]),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        TilePipeline(read_index(config["train"]), config).train(),
        validation_data=TilePipeline(read_index(config["valid"]), config).valid(),
        epochs=config["epochs"],
    )
    model.save(config["output"])


if __name__ == "__main__":
    main()
