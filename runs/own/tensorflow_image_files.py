"""Trains on image files in folders, read by `tf.data` as TensorFlow's guide to it shows."""

import pathlib

import numpy as np
import tensorflow as tf

KINDS = ("daisy", "rose", "tulip")
ROOT = pathlib.Path("flowers")


def write_images():
    generator = np.random.default_rng(0)
    for number, kind in enumerate(KINDS):
        folder = ROOT / kind
        folder.mkdir(parents=True, exist_ok=True)
        for image in range(200):
            noise = generator.integers(0, 120, (240, 320, 3), dtype=np.uint8)
            noise[..., number] += 100
            (folder / f"{image}.jpg").write_bytes(tf.io.encode_jpeg(noise).numpy())


def parse_image(name):
    kind = tf.strings.split(name, "/")[-2]
    image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.image.resize(image, [128, 128])
    return image, tf.argmax(kind == tf.constant(KINDS))


def main():
    tf.random.set_seed(0)
    write_images()
    files = tf.data.Dataset.list_files(str(ROOT / "*/*"))
    images = files.map(parse_image).batch(32)
    model = tf.keras.Sequential(
        [
            tf.keras.Input(shape=(128, 128, 3)),
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(16, 3, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(len(KINDS)),
        ]
    )
    model.compile(
        optimizer="adam",
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(images, epochs=6, verbose=2)


if __name__ == "__main__":
    main()
