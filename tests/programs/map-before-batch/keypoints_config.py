# requires: tensorflow==2.9.*
"""Keypoint regression; the pipeline is put together from a config."""
import dataclasses

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Config:
    image_size: int = 96
    batch_size: int = 64
    epochs: int = 40
    steps: list = dataclasses.field(default_factory=lambda: ["to_float", "flatten_points", "gray"])


def to_float(image, points):
    return tf.image.convert_image_dtype(image, tf.float32), points


def gray(image, points):
    return tf.image.rgb_to_grayscale(image), points


def flatten_points(image, points):
    return image, points / 48.0 - 1.0


STEPS = {"to_float": to_float, "gray": gray, "flatten_points": flatten_points}


def apply_steps(dataset, config):
    for name in config.steps:
        dataset = dataset.map(STEPS[name], num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    return dataset


def make_dataset(config, split, training):
    blob = np.load("keypoints_%s.npz" % split)
    dataset = tf.data.Dataset.from_tensor_slices((blob["images"], blob["points"]))
    if training:
        dataset = dataset.shuffle(4096)
    dataset = apply_steps(dataset, config)
    return dataset.batch(config.batch_size).prefetch(tf.data.AUTOTUNE)


def make_model(config):
    model = tf.keras.Sequential([tf.keras.Input((config.image_size, config.image_size, 1))])
    for filters in (32, 64, 128):
        model.add(tf.keras.layers.Conv2D(filters, 3, padding="same"))
        model.add(tf.keras.layers.BatchNormalization())
        model.add(tf.keras.layers.ReLU())
        model.add(tf.keras.layers.MaxPooling2D())
    model.add(tf.keras.layers.Flatten())
    model.add(tf.keras.layers.Dense(500, activation="relu"))
    model.add(tf.keras.layers.Dense(30))
    return model


def main():
    config = Config()
    model = make_model(config)
    model.compile(tf.keras.optimizers.Adam(1e-3), "mse", metrics=["mae"])
    model.fit(
        make_dataset(config, "train", True),
        validation_data=make_dataset(config, "valid", False),
        epochs=config.epochs,
        callbacks=[
            tf.keras.callbacks.ReduceLROnPlateau(patience=4),
            tf.keras.callbacks.ModelCheckpoint("best.h5", save_best_only=True),
        ],
    )


if __name__ == "__main__":
    main()
